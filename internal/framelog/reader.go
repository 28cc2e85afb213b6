package framelog

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/zeebo/xxh3"
)

// A Frame is a frame whose checksum is right.
type Frame struct {
	Kind        Kind
	Number      uint64 // of the commit that it belongs to, in a log with commits
	Payload     []byte // valid until the next call of the Reader
	Offset, End int64  // in the file
}

// PayloadAt returns the offset of the payload in the file.
func (f Frame) PayloadAt() int64 { return f.Offset + headBytes }

// A Reader reads the frames of a log. It holds a part of the file, so that a long log needs little
// memory. It is not safe for concurrent use.
type Reader struct {
	file  io.ReaderAt
	size  int64
	start int64 // offset of part
	part  []byte
}

// leastRead is how much a Reader reads at once, at least.
const leastRead = 64 << 10

// NewReader returns a Reader of the first size bytes of a file.
func NewReader(file io.ReaderAt, size int64) *Reader { return &Reader{file: file, size: size} }

// Reset makes the Reader read another file, with the same buffer.
func (r *Reader) Reset(file io.ReaderAt, size int64) {
	*r = Reader{file: file, size: size, part: r.part[:0]}
}

// bytes returns n bytes from an offset on, or fewer at the end of the file.
func (r *Reader) bytes(offset, n int64) ([]byte, error) {
	n = max(0, min(n, r.size-offset))
	skip := offset - r.start
	if skip >= 0 && skip+n <= int64(len(r.part)) {
		return r.part[skip : skip+n], nil
	}
	kept := 0
	if skip >= 0 && skip < int64(len(r.part)) {
		kept = copy(r.part, r.part[skip:])
	}
	want := int(min(max(n, leastRead), r.size-offset))
	r.start, r.part = offset, slices.Grow(r.part[:kept], want-kept)[:want]
	got, err := r.file.ReadAt(r.part[kept:], offset+int64(kept))
	r.part = r.part[:kept+got]
	if err != nil && err != io.EOF {
		return nil, err
	}
	return r.part[:min(n, int64(len(r.part)))], nil
}

// At returns the frame at an offset. The error is ErrCorrupt if no good frame is there.
func (r *Reader) At(offset int64) (f Frame, err error) {
	head, err := r.bytes(offset, headBytes)
	if err != nil {
		return f, err
	}
	length, ok := frameBytes(head)
	if !ok || length > r.size-offset {
		return f, corruptAt(offset, "there is no whole frame here")
	}
	b, err := r.bytes(offset, length)
	if err != nil {
		return f, err
	}
	end := len(b) - 8
	switch {
	case int64(len(b)) < length:
		return f, corruptAt(offset, "the file ends here, and was committed up to %d", r.size)
	case binary.LittleEndian.Uint64(b[end:]) != xxh3.HashSeed(b[:end], uint64(offset)):
		return f, corruptAt(offset, "the checksum is wrong")
	}
	f = Frame{
		Kind: Kind(binary.LittleEndian.Uint32(b[4:])), Number: binary.LittleEndian.Uint64(b[8:]),
		Payload: b[headBytes : headBytes+int(binary.LittleEndian.Uint32(b[16:]))], Offset: offset,
		End: offset + length,
	}
	switch {
	case f.Kind > lastKind:
		return f, fmt.Errorf("%w: a frame of kind %d at byte %d: use a newer program", ErrVersion, f.Kind, offset)
	case f.Kind == 0:
		return f, corruptAt(offset, "the frame has no kind")
	}
	return f, nil
}

// headAt returns the kind of the frame at an offset, whose payload is not read, and where it ends.
func (r *Reader) headAt(offset int64) (kind Kind, end int64, err error) {
	var head [headBytes]byte
	if n, err := r.file.ReadAt(head[:min(headBytes, r.size-offset)], offset); err != nil && err != io.EOF {
		return 0, 0, err
	} else if length, ok := frameBytes(head[:n]); ok && length <= r.size-offset {
		return Kind(binary.LittleEndian.Uint32(head[4:])), offset + length, nil
	}
	return 0, 0, corruptAt(offset, "there is no whole frame here")
}
