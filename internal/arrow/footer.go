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
)

// A file can be read like a stream where its messages stand in the order of one. Not every writer
// does that: polars 2.1 writes the schema without its length, and dictionaries behind the batches
// that need them; the library for JavaScript writes no schema before the batches, and older ones
// for Go and Java no end mark behind them. What a file has, and in which order, is said by its
// footer. Only a file that has lost it is read like a stream, as far as that goes.

// HeadBytes is how much of an input IsFile looks at.
const HeadBytes = 16

// IsFile reports whether an input that begins like that has a footer, so that it is best read as a
// file, and not as a stream of bytes.
func IsFile(head []byte) bool {
	return len(head) >= HeadBytes && bytes.HasPrefix(head, []byte(magic))
}

// needsFooter reports whether a file that begins like that can only be read by its footer.
func needsFooter(head []byte) bool { return IsFile(head) && !beginsMessage(head[8:]) }

// beginsMessage reports whether that is the beginning of a message, as the schema of a stream is.
func beginsMessage(head []byte) bool {
	return binary.LittleEndian.Uint32(head) == continuation || beganOfOld(head)
}

// A footer says where the messages of a file stand.
type footer struct {
	schema []byte  // a message, as it would stand in a stream
	at     int64   // where the footer begins
	blocks []block // dictionaries, then record batches
	passed int     // how many messages the reader has come to
}

// A block is where a message stands.
type block struct {
	kind     byte
	at, size int64
}

// leastFile is the size of a file with nothing between the magic bytes at both ends but the length
// of its footer.
const leastFile = 8 + footerEnd

// footerEnd is what stands behind a footer: its length and the magic bytes.
const footerEnd = 4 + int64(len(magic))

// readFooter reads the footer of a file of so many bytes.
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
	return f, nil
}

// readAt fills a buffer from a file that may have become shorter.
func readAt(in io.ReaderAt, buf []byte, at int64) error {
	_, err := io.ReadFull(io.NewSectionReader(in, at, int64(len(buf))), buf)
	return brokenOff(err)
}

// parseFooter takes out of a footer what it says. The schema is looked at when it is read.
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

// messageOf returns a message of a schema that stands in a footer. All that a schema refers to
// stands behind it, at a distance. So the footer stays as it is, and the message is put in front of
// it.
func messageOf(footer []byte, schema flatbuffers.UOffsetT) []byte {
	const before = 32
	head := make([]byte, 8, 8+before+len(footer))
	binary.LittleEndian.PutUint32(head, continuation)
	binary.LittleEndian.PutUint32(head[4:], uint32(before+len(footer)))
	head = append(head,
		20, 0, 0, 0, // where the table begins
		10, 0, 12, 0, 8, 0, 10, 0, 4, 0, // its slots: version, kind of the header, header
		0, 0, 0, 0, 0, 0,
		16, 0, 0, 0, // how far before it the slots are said
	)
	head = binary.LittleEndian.AppendUint32(head, before-24+uint32(schema)) // the header
	head = append(head, metadataV5, 0, schemaMessage, 0)
	return append(head, footer...)
}

// check makes sure that all messages stand between the beginning of the file and the footer, each
// in a place of its own: otherwise few bytes could stand for any number of rows.
func (f *footer) check() error {
	sorted := slices.Clone(f.blocks)
	slices.SortFunc(sorted, func(a, b block) int { return cmp.Compare(a.at, b.at) })
	end := int64(8)
	for _, b := range sorted {
		if b.at < end {
			return fmt.Errorf("a message would stand at byte %d, before another one ends", b.at)
		}
		if b.size > f.at-b.at {
			return fmt.Errorf("the message at byte %d would have %d bytes, which are more than stand there",
				b.at, b.size)
		}
		end = b.at + b.size
	}
	return nil
}

// next returns where the next message is read from; io.EOF if there is none.
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

// end checks what stands behind the messages: nothing behind a stream, and behind those of a file a
// footer that speaks of as many batches.
func (m *messages) end() error {
	if m.form == Stream {
		if _, err := m.in.ReadByte(); err != nil {
			return err // io.EOF, if all is well
		}
		return fmt.Errorf("something stands behind its end at byte %d: streams cannot be joined with cat", m.at)
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
		return fmt.Errorf("its footer would have %d bytes, which are more than stand behind its messages", size)
	}
	batches, err := batchesOfFooter(tail[n-10-int(size) : n-10])
	switch {
	case err != nil:
		return fmt.Errorf("its footer: %w", err)
	case batches != m.batches:
		return fmt.Errorf("its footer speaks of %d record batches, but %d stand in it", batches, m.batches)
	}
	return io.EOF
}

// batchesOfFooter is how many record batches a footer speaks of.
func batchesOfFooter(buf []byte) (n int, err error) {
	defer damaged(&err)
	_, n = rootOf(buf).vector(footerBatches, blockBytes)
	return n, nil
}
