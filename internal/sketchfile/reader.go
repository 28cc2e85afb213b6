package sketchfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// A Reader reads a sketch file, possibly from a pipe. It buffers one block, and returns no record
// of a block with a wrong checksum. It is not safe for concurrent use.
type Reader struct {
	src    *bufio.Reader
	offset int64 // of the next read
	header Header
	size   int    // bytes of a record with keys
	sum    uint64 // of the previous block

	records  uint64 // in the blocks so far
	sketched uint64 // records with keys

	openBlock
	keys  []Key // of the current record
	words []uint64
	done  error // why there is nothing more
}

// An openBlock is the current block.
type openBlock struct {
	block []byte
	codes []byte // of its remaining records
	rest  []byte // their keys and words
}

// NewReader reads the header.
func NewReader(src io.Reader) (*Reader, error) {
	r := &Reader{src: bufio.NewReaderSize(src, maxHeader)}
	return r, r.readHeader()
}

// Offset returns the number of bytes in the blocks read so far.
func (r *Reader) Offset() int64 { return r.offset }

// Header returns the header.
func (r *Reader) Header() Header { return r.header }

// Next returns the keys of the next record, valid until the next call, or no keys and the number of
// the problem that is the reason. The error is io.EOF after the last record of a complete file.
func (r *Reader) Next() (keys []Key, problem int, err error) {
	for len(r.codes) == 0 {
		if r.done == nil {
			r.done = r.readBlock()
		}
		if r.done != nil {
			return nil, 0, r.done
		}
	}
	code := r.codes[0]
	r.codes = r.codes[1:]
	if code != 0 {
		return nil, int(code), nil
	}
	for i := range r.keys {
		at := r.rest[i*keySize:]
		r.keys[i] = Key{Hi: binary.LittleEndian.Uint64(at), Lo: binary.LittleEndian.Uint64(at[8:])}
	}
	words := r.rest[len(r.keys)*keySize : r.size]
	for i := range r.words {
		r.words[i] = binary.LittleEndian.Uint64(words[i*wordSize:])
	}
	r.rest = r.rest[r.size:]
	return r.keys, 0, nil
}

// Words returns the words after the keys that Next has returned. They are valid as long as the
// keys.
func (r *Reader) Words() []uint64 { return r.words }

func (r *Reader) readHeader() error {
	var text []byte
	for !bytes.HasPrefix(lastLine(text), []byte(checksumLine)) {
		line, err := r.src.ReadSlice('\n')
		text = append(text, line...)
		long := err == bufio.ErrBufferFull || len(text) > maxHeader
		switch begun := min(len(text), len(opening)); {
		case err != nil && err != io.EOF && !long:
			return r.failed(err)
		case len(text) == 0 || string(text[:begun]) != opening[:begun]:
			return fmt.Errorf("byte %d: %w: %w", r.offset, ErrCorrupt, ErrForeign)
		case long:
			return r.corrupt("its header is longer than %d bytes", maxHeader)
		case err == io.EOF:
			return r.corrupt("it ends within its header")
		}
		if err := checkVersion(text[len(opening):]); err != nil {
			return fmt.Errorf("byte %d: %w", len(opening), err)
		}
	}
	var err error
	if r.header, r.sum, err = decodeHeader(text); err != nil {
		return r.corrupt("its header is damaged: %v", err)
	}
	r.offset = int64(len(text))
	r.size = r.header.bytesOfRecord()
	r.keys, r.words = make([]Key, r.header.Bands()), make([]uint64, r.header.Words())
	return nil
}

// lastLine returns the last line of a text of complete lines.
func lastLine(text []byte) []byte {
	text = bytes.TrimSuffix(text, []byte("\n"))
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// checkVersion checks the second line, once it is read.
func checkVersion(text []byte) error {
	line, _, whole := strings.Cut(string(text), "\n")
	if whole && line != "version\t"+plain && line != "version\t"+extended {
		return fmt.Errorf("%w: it is %.40q, this program knows %s and %s: use a newer program", ErrVersion, line, plain,
			extended)
	}
	return nil
}

// readBlock reads the next block. At the end of the file it returns io.EOF.
func (r *Reader) readBlock() error {
	head, err := r.src.Peek(headSize)
	if err != nil {
		return r.ended(err, "it ends here, without its end: it is not complete")
	}
	magic, length, records := string(head[:4]), uint64(binary.LittleEndian.Uint32(head[4:])),
		binary.LittleEndian.Uint64(head[8:])
	switch {
	case magic != blockMagic && magic != endMagic:
		return r.corrupt("neither a block nor the end begins here")
	case length < 8 || length > maxPayload || length%8 != 0 || magic == endMagic && length != endPayload:
		return r.corrupt("a block of %d bytes is not possible", length)
	}
	size := headSize + int(length) + checksumSize
	r.block = slices.Grow(r.block[:0], size)[:size]
	if _, err := io.ReadFull(r.src, r.block); err != nil {
		return r.ended(err, "it ends within the block that begins here")
	}
	sealed := len(r.block) - checksumSize
	sum := xxh3.HashSeed(r.block[:sealed], r.sum)
	if sum != binary.LittleEndian.Uint64(r.block[sealed:]) {
		return r.corrupt("the checksum of the block that begins here is wrong")
	}
	payload := r.block[headSize:sealed]
	if magic == endMagic {
		return r.readEnd(records, payload)
	}
	if err := r.readRecords(records, payload); err != nil {
		return err
	}
	r.sum = sum
	r.offset += int64(len(r.block))
	return nil
}

// readRecords checks that the payload has exactly the size it claims.
func (r *Reader) readRecords(n uint64, payload []byte) error {
	length := uint64(len(payload))
	if n == 0 || n > length {
		return r.corrupt("a block of %d bytes cannot hold %d records", length, n)
	}
	sketched := uint64(0)
	for _, code := range payload[:n] {
		if int(code) > len(r.header.Problems) {
			return r.corrupt("problem %d has no name", code)
		}
		if code == 0 {
			sketched++
		}
	}
	if length != padded(n)+sketched*uint64(r.size) {
		return r.corrupt("a block of %d bytes cannot hold %d records, of which %d have keys", length, n, sketched)
	}
	r.codes, r.rest = payload[:n], payload[padded(n):]
	r.records += n
	r.sketched += sketched
	return nil
}

func (r *Reader) readEnd(records uint64, payload []byte) error {
	if sketched := binary.LittleEndian.Uint64(payload); records != r.records || sketched != r.sketched {
		return r.corrupt("its end counts %d records, %d of them with keys, but it holds %d and %d", records,
			sketched, r.records, r.sketched)
	}
	r.offset += endSize
	switch _, err := r.src.ReadByte(); {
	case err == nil:
		return r.corrupt("it continues after its end")
	case err != io.EOF:
		return r.failed(err)
	}
	return io.EOF
}

// ended converts the error of a read that ended too early.
func (r *Reader) ended(err error, message string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return r.corrupt("%s", message)
	}
	return r.failed(err)
}

func (r *Reader) corrupt(format string, args ...any) error {
	return fmt.Errorf("byte %d: %w: %s", r.offset, ErrCorrupt, fmt.Sprintf(format, args...))
}

func (r *Reader) failed(err error) error {
	return fmt.Errorf("after byte %d: %w", r.offset, err)
}

// Begins reports whether head begins a sketch file.
func Begins(head []byte) bool { return bytes.HasPrefix(head, []byte(opening)) }

// Count returns the number of records that a file of that size claims to have. It reads only the
// end, which shows whether the file is complete, and verifies no checksums.
func Count(f io.ReaderAt, size int64) (records uint64, err error) {
	r := &Reader{offset: max(size-endSize, 0)}
	end := make([]byte, min(size, endSize))
	if _, err := f.ReadAt(end, r.offset); err != nil && err != io.EOF {
		return 0, r.failed(err)
	}
	if len(end) < endSize || !bytes.Equal(end[:8], appendHead(nil, endMagic, endPayload, 0)[:8]) {
		return 0, r.corrupt("it does not end like a sketch file: it is not complete")
	}
	return binary.LittleEndian.Uint64(end[8:]), nil
}
