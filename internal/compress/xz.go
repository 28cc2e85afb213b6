package compress

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"sync"

	"github.com/ulikunitz/xz/lzma"
)

// xzReader reads concatenated xz streams whose only filter is LZMA2 (The .xz File Format 1.2.1).
// All blocks share one LZMA2 decoder, so that a file of many small streams does not allocate a
// dictionary for each, and none uses more than maxWindow bytes.
type xzReader struct {
	src       *bufio.Reader
	maxWindow int64
	err       error

	flags  byte          // of the stream: the type of its checks
	blocks xzIndex       // sizes of the blocks read
	block  xzBlock       // the open block
	check  xzCheck       // of its contents
	inside bool          // a block is open
	dict   int64         // bytes of the decoder's dictionary
	lzma   *lzma.Reader2 // nil before the first chunk
	chunk  xzChunk
	left   int // bytes of the chunk's contents not yet returned
}

// xzCheck is a checksum of a block's contents, stored in a byte order.
type xzCheck struct {
	hash.Hash
	little bool
}

var errXZ = errors.New("not as the xz format has it")

func newXZReader(src *bufio.Reader, maxWindow int64) (*xzReader, error) {
	r := &xzReader{src: src, maxWindow: maxWindow}
	return r, r.beginStream()
}

// Read returns at most one chunk at a time.
func (r *xzReader) Read(p []byte) (n int, err error) {
	for r.err == nil && r.left == 0 {
		r.err = r.next()
	}
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	// The decoder must not see the end of a chunk, since it would read on beyond it.
	n, r.err = r.lzma.Read(p[:min(len(p), r.left)])
	r.left -= n
	r.check.Write(p[:n])
	if r.err == io.EOF {
		r.err = errXZ
	}
	return n, r.err
}

// next advances to the next chunk, or one step towards it.
func (r *xzReader) next() error {
	if !r.inside {
		return r.beginBlock()
	}
	if r.chunk.compressed > 0 || len(r.chunk.head) > 0 {
		return errXZ // the decoder did not use all of the chunk
	}
	more, err := r.chunk.begin(r.src)
	if err != nil {
		return err
	}
	r.block.compressed += int64(len(r.chunk.head) + r.chunk.compressed)
	if !more {
		r.block.compressed++
		return r.endBlock()
	}
	r.left = r.chunk.holds
	r.block.holds += int64(r.left)
	if r.lzma == nil {
		r.lzma, err = lzma.Reader2Config{DictCap: int(r.dict)}.NewReader2(&r.chunk)
	}
	return err
}

// beginStream reads the header of a stream.
func (r *xzReader) beginStream() error {
	var head [12]byte
	if _, err := io.ReadFull(r.src, head[:]); err != nil {
		return err
	}
	if string(head[:7]) != "\xfd7zXZ\x00\x00" || crc32.ChecksumIEEE(head[6:8]) != binary.LittleEndian.Uint32(head[8:]) {
		return errXZ
	}
	r.flags, r.blocks = head[7], newXZIndex()
	switch r.flags {
	case 0:
		r.check = xzCheck{Hash: noCheck{}}
	case 1:
		r.check = xzCheck{Hash: crc32.NewIEEE(), little: true}
	case 4:
		r.check = xzCheck{Hash: crc64.New(crc64ECMA()), little: true}
	case 10:
		r.check = xzCheck{Hash: sha256.New()}
	default:
		return fmt.Errorf("its checksums are of kind %d, which is not known", r.flags)
	}
	return nil
}

// crc64ECMA builds the tables of that checksum when the first xz stream needs them.
var crc64ECMA = sync.OnceValue(func() *crc64.Table { return crc64.MakeTable(crc64.ECMA) })

// noCheck is the checksum of blocks without one.
type noCheck struct{}

func (noCheck) Write(p []byte) (int, error) { return len(p), nil }
func (noCheck) Sum(b []byte) []byte         { return b }
func (noCheck) Reset()                      {}
func (noCheck) Size() int                   { return 0 }
func (noCheck) BlockSize() int              { return 1 }

// beginBlock reads the header of a block or, after the last block, the end of the stream.
func (r *xzReader) beginBlock() error {
	size, err := r.src.ReadByte()
	if err != nil {
		return unexpected(err)
	}
	if size == 0 {
		return r.endStream()
	}
	head := make([]byte, 4*(int(size)+1))
	head[0] = size
	if _, err := io.ReadFull(r.src, head[1:]); err != nil {
		return unexpected(err)
	}
	if r.block, err = parseXZBlock(head); err != nil {
		return err
	}
	if r.block.dict > r.maxWindow {
		return &WindowError{Format: "xz", Needed: r.block.dict, Limit: r.maxWindow}
	}
	if r.block.dict > r.dict {
		r.dict, r.lzma = max(r.block.dict, lzma.MinDictCap), nil
	}
	r.check.Reset()
	r.inside = true
	return nil
}

// endBlock reads what follows the chunks of a block, and compares sizes and checksum.
func (r *xzReader) endBlock() error {
	b := &r.block
	if b.wantCompressed >= 0 && b.wantCompressed != b.compressed || b.wantHolds >= 0 && b.wantHolds != b.holds {
		return errXZ
	}
	tail := make([]byte, int(-b.compressed&3)+r.check.Size())
	if _, err := io.ReadFull(r.src, tail); err != nil {
		return unexpected(err)
	}
	padding, sum := tail[:-b.compressed&3], tail[-b.compressed&3:]
	for _, c := range padding {
		if c != 0 {
			return errXZ
		}
	}
	if string(r.check.stored()) != string(sum) {
		return errors.New("wrong checksum")
	}
	r.blocks.add(uint64(b.head)+uint64(b.compressed)+uint64(len(sum)), uint64(b.holds))
	r.inside = false
	return nil
}

// stored returns the checksum in the form stored in a file.
func (c xzCheck) stored() []byte {
	sum := c.Sum(nil)
	for i, j := 0, len(sum)-1; c.little && i < j; i, j = i+1, j-1 {
		sum[i], sum[j] = sum[j], sum[i]
	}
	return sum
}

// endStream reads the index of a stream, except for its first byte, and the footer, and starts the
// next stream.
func (r *xzReader) endStream() error {
	size, err := r.blocks.compare(r.src)
	if err != nil {
		return err
	}
	var foot [12]byte
	if _, err := io.ReadFull(r.src, foot[:]); err != nil {
		return unexpected(err)
	}
	if crc32.ChecksumIEEE(foot[4:10]) != binary.LittleEndian.Uint32(foot[:]) || string(foot[10:]) != "YZ" ||
		4*(int64(binary.LittleEndian.Uint32(foot[4:]))+1) != size || foot[8] != 0 || foot[9] != r.flags {
		return errXZ
	}
	for { // streams may be separated by zeros in multiples of four
		zeros, err := r.src.Peek(4)
		if err == io.EOF && len(zeros) == 0 {
			return io.EOF
		}
		if err != nil {
			return unexpected(err)
		}
		if string(zeros) != "\x00\x00\x00\x00" {
			return unexpected(r.beginStream())
		}
		r.src.Discard(len(zeros))
	}
}

// unexpected converts io.EOF in the middle of a stream to io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
