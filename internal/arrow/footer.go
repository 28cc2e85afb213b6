package arrow

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
)

// A file can be read like a stream if its messages are in stream order. Not every writer ensures
// that: polars 2.1 writes the schema without its length, and dictionaries after the batches that
// need them; the JavaScript library writes no schema before the batches, and older ones for Go and
// Java no end mark after them. The footer says what the file contains and in which order. Only a
// file that has lost its footer is read like a stream, as far as possible.

// HeadBytes is the number of bytes that IsFile examines.
const HeadBytes = 16

// IsFile reports whether an input with this beginning has a footer, and should be read as a file
// instead of a stream.
func IsFile(head []byte) bool {
	return len(head) >= HeadBytes && bytes.HasPrefix(head, []byte(magic))
}

// needsFooter reports whether a file with this beginning can only be read by its footer.
func needsFooter(head []byte) bool { return IsFile(head) && !beginsMessage(head[8:]) }

// beginsMessage reports whether head is the beginning of a message, such as the schema of a stream.
func beginsMessage(head []byte) bool {
	return binary.LittleEndian.Uint32(head) == continuation || beganOfOld(head)
}

// A footer lists the messages of a file.
type footer struct {
	schema []byte  // as a message of a stream
	at     int64   // offset of the footer
	blocks []block // dictionaries, then record batches
	passed int     // number of blocks that the reader has reached
}

// A block is the position of a message.
type block struct {
	kind     byte
	at, size int64
}

// leastFile is the size of a file with nothing but the magic bytes at both ends and the length of
// its footer.
const leastFile = 8 + footerEnd

// footerEnd is the size of what follows a footer: its length and the magic bytes.
const footerEnd = 4 + int64(len(magic))

// readFooter reads the footer of a file of size bytes.
func readFooter(in io.ReaderAt, size int64) (*footer, error) {
	if size < leastFile {
		return nil, errNoFooter
	}
	end := make([]byte, footerEnd)
	if err := readAt(in, end, size-footerEnd); err != nil {
		return nil, err
	}
	if string(end[4:]) != magic {
		return nil, errNoFooter
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if most := min(size-leastFile, maxMetadata); length > most {
		return nil, fmt.Errorf("its footer would have %d bytes, but may have %d", length, most)
	}
	buf := make([]byte, length)
	if err := readAt(in, buf, size-footerEnd-length); err != nil {
		return nil, err
	}
	f, err := parseFooter(buf)
	if err == nil {
		f.at = size - footerEnd - length
		err = f.check()
	}
	if err != nil {
		return nil, fmt.Errorf("its footer: %w", err)
	}
	return f, f.refuseJoined(in)
}

// refuseJoined refuses files that were joined by cat. The footer of the last one would be taken for
// that of the first, and the rows of the others would be lost.
func (f *footer) refuseJoined(in io.ReaderAt) error {
	end := int64(len(magic))
	for _, b := range f.blocks {
		end = max(end, b.at+b.size)
	}
	isJoined, err := columnar.HasBetween(in, end, f.at, []byte(magic+magic))
	if isJoined {
		err = errors.New("it is several files of Arrow, joined by cat: give each of them")
	}
	return err
}

// readAt fills a buffer, and returns an error if the file has become shorter.
func readAt(in io.ReaderAt, buf []byte, at int64) error {
	_, err := io.ReadFull(io.NewSectionReader(in, at, int64(len(buf))), buf)
	return brokenOff(err)
}

// parseFooter parses a footer. The schema is checked when it is read.
func parseFooter(buf []byte) (f *footer, err error) {
	defer damaged(&err)
	root := rootOf(buf)
	schema, isThere := root.table(footerSchema)
	if !isThere {
		return nil, errors.New("it has no schema")
	}
	f = &footer{schema: messageOf(buf, schema.Pos)}
	f.blocks = blocksOf(root, footerDictionaries, dictionaryBatch)
	f.blocks = append(f.blocks, blocksOf(root, footerBatches, recordBatch)...)
	return f, nil
}

func blocksOf(root table, slot flatbuffers.VOffsetT, kind byte) []block {
	start, n := root.vector(slot, blockBytes)
	blocks := make([]block, n)
	for i := range blocks {
		at := start + flatbuffers.UOffsetT(blockBytes*i)
		b := block{kind: kind, at: root.GetInt64(at)}
		head, body := int64(root.GetInt32(at+8)), root.GetInt64(at+16)
		if head < 8 || body < 0 || body > 1<<62 {
			panic(errMetadata)
		}
		b.size = head + body
		blocks[i] = b
	}
	return blocks
}

// messageOf returns a message with a schema that is inside a footer. Everything the schema refers
// to follows it at a relative offset, so the message header is put in front of the unchanged
// footer.
func messageOf(footer []byte, schema flatbuffers.UOffsetT) []byte {
	const before = 32
	head := make([]byte, 8, 8+before+len(footer))
	binary.LittleEndian.PutUint32(head, continuation)
	binary.LittleEndian.PutUint32(head[4:], uint32(before+len(footer)))
	head = append(head,
		20, 0, 0, 0, // offset of the table
		10, 0, 12, 0, 8, 0, 10, 0, 4, 0, // its slots: version, type of the header, header
		0, 0, 0, 0, 0, 0,
		16, 0, 0, 0, // offset back to the slots
	)
	head = binary.LittleEndian.AppendUint32(head, before-24+uint32(schema)) // the header
	head = append(head, metadataV5, 0, schemaMessage, 0)
	return append(head, footer...)
}

// check makes sure that all messages are between the start of the file and the footer and do not
// overlap; otherwise a few bytes could represent any number of rows.
func (f *footer) check() error {
	sorted := slices.Clone(f.blocks)
	slices.SortFunc(sorted, func(a, b block) int { return cmp.Compare(a.at, b.at) })
	end := int64(8)
	for _, b := range sorted {
		if b.at < end {
			return fmt.Errorf("a message would begin at byte %d, before another one ends", b.at)
		}
		if b.size > f.at-b.at {
			return fmt.Errorf("the message at byte %d would have %d bytes, which is more than there are",
				b.at, b.size)
		}
		end = b.at + b.size
	}
	return nil
}

// next returns a reader for the next message, or io.EOF after the last one.
func (f *footer) next(in io.ReaderAt) (io.Reader, block, error) {
	f.passed++
	switch i := f.passed - 2; {
	case i < 0:
		return bytes.NewReader(f.schema), block{kind: schemaMessage, at: f.at}, nil
	case i < len(f.blocks):
		b := f.blocks[i]
		return io.NewSectionReader(in, b.at, b.size), b, nil
	}
	return nil, block{}, io.EOF
}

// end checks what follows the messages: nothing after a stream, and after those of a file a footer
// with the same number of batches.
func (m *messages) end() error {
	if m.form == Stream {
		if _, err := m.in.ReadByte(); err != nil {
			return err // io.EOF, if all is well
		}
		return fmt.Errorf("something follows its end at byte %d: streams cannot be joined with cat", m.at)
	}
	tail, err := io.ReadAll(io.LimitReader(m.in, maxMetadata))
	if err != nil {
		return err
	}
	n := len(tail)
	if n < 10 || string(tail[n-6:]) != magic {
		return errNoFooter
	}
	size := int64(binary.LittleEndian.Uint32(tail[n-10:]))
	if size > int64(n-10) {
		return fmt.Errorf("its footer would have %d bytes, which is more than follow its messages", size)
	}
	batches, err := batchesOfFooter(tail[n-10-int(size) : n-10])
	switch {
	case err != nil:
		return fmt.Errorf("its footer: %w", err)
	case batches != m.batches:
		return fmt.Errorf("its footer lists %d record batches, but it has %d", batches, m.batches)
	}
	return io.EOF
}

// batchesOfFooter returns the number of record batches in a footer.
func batchesOfFooter(buf []byte) (n int, err error) {
	defer damaged(&err)
	_, n = rootOf(buf).vector(footerBatches, blockBytes)
	return n, nil
}
