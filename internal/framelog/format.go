// Package framelog implements the one format of all logs: append-only files of a header and frames
// with checksums. docs/design/format.md defines it.
package framelog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"
)

var (
	// ErrCorrupt is returned if a log is damaged, too short, or belongs to another index.
	ErrCorrupt = errors.New("the log is damaged")
	// ErrVersion is returned if a log is intact but of a version that this program does not know.
	ErrVersion = errors.New("unknown format version")
)

// A Damage is an ErrCorrupt that says where the log is damaged.
type Damage struct {
	At   int64 // offset in the file
	What string
}

func (d *Damage) Error() string { return fmt.Sprintf("%v at byte %d: %s", ErrCorrupt, d.At, d.What) }

// Unwrap returns ErrCorrupt.
func (d *Damage) Unwrap() error { return ErrCorrupt }

const (
	// Magic begins every binary file of an index. The next 8 bytes name what the file holds.
	Magic = "mithril\x00"
	// Version is the version of the format of indexes.
	Version = 3

	// HeaderBytes is the length of the header of a log.
	HeaderBytes = 56
	nameBytes   = 8

	frameMagic = "fram"
	headBytes  = 24 // magic, kind, number, length of the payload, zero
	// Overhead is how much longer a frame is than its payload, which is filled up to whole words.
	Overhead = headBytes + 8

	frameTarget = 1 << 20 // a frame of entries is complete at this size
	mostNote    = 1 << 26
	mostPayload = 1 << 27
)

// A Kind says what a frame holds.
type Kind uint32

// The kinds of frames. A log has those that its owner gives a meaning.
const (
	Entries    Kind = 1 + iota // what records are remembered by
	Note                       // about what was appended before it
	Tally                      // Counts
	Forgotten                  // numbers of records whose entries do not count
	Generation                 // a generation of filters begins
	Commit                     // what came before it counts
	Prepared                   // a Commit that another system decides
	lastKind   = Prepared
)

// A Header says what a log holds, under which parameters. A log with a different one belongs to
// another index.
type Header struct {
	Holds   string // 1 to 8 letters
	Version uint32 // of the entries
	Numbers [3]uint64
}

// Named returns what a binary file that holds something begins with.
func Named(holds string) []byte {
	b := make([]byte, len(Magic)+nameBytes)
	copy(b[copy(b, Magic):], holds)
	return b
}

func (h Header) encode() []byte {
	b := binary.LittleEndian.AppendUint32(Named(h.Holds), Version)
	b = binary.LittleEndian.AppendUint32(b, h.Version)
	for _, n := range h.Numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b))
}

// Check returns an error if a log has another header.
func (h Header) Check(file io.ReaderAt) error {
	got, err := ReadHeader(file, h.Holds)
	switch {
	case err != nil:
		return err
	case got.Version > h.Version:
		return fmt.Errorf("%w: its entries are of version %d, this program knows %d: use a newer program", ErrVersion,
			got.Version, h.Version)
	case got.Version < h.Version:
		return fmt.Errorf("%w: its entries are of version %d, this program reads %d: use an older program, "+
			"or build the index again", ErrVersion, got.Version, h.Version)
	case got != h:
		return corruptAt(0, "it belongs to another index, or is another log of this one")
	}
	return nil
}

// ReadHeader returns the header of a log that holds something.
func ReadHeader(file io.ReaderAt, holds string) (Header, error) {
	b := make([]byte, HeaderBytes)
	if err := readStart(file, b); err != nil {
		return Header{}, err
	}
	named := Named(holds)
	format := binary.LittleEndian.Uint32(b[len(named):])
	switch {
	case string(b[:len(Magic)]) != Magic:
		return Header{}, corruptAt(0, "it does not begin as a log")
	case binary.LittleEndian.Uint64(b[HeaderBytes-8:]) != xxh3.Hash(b[:HeaderBytes-8]):
		return Header{}, corruptAt(0, "the checksum of its header is wrong")
	case format != Version:
		return Header{}, fmt.Errorf("%w: it is %d, this program knows %d: use a newer program", ErrVersion, format,
			Version)
	case string(b[:len(named)]) != string(named):
		return Header{}, corruptAt(0, "it is a log of another kind")
	}
	h := Header{Holds: holds, Version: binary.LittleEndian.Uint32(b[len(named)+4:])}
	for i := range h.Numbers {
		h.Numbers[i] = binary.LittleEndian.Uint64(b[24+8*i:])
	}
	return h, nil
}

// readStart fills b with the start of a log.
func readStart(file io.ReaderAt, b []byte) error {
	n, err := file.ReadAt(b, 0)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return corruptAt(0, "it is only %d bytes long", n)
	}
	return err
}

// beginFrame appends the head of a frame whose length is not known yet.
func beginFrame(b []byte, kind Kind, number uint64) []byte {
	b = append(b, frameMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(kind))
	b = binary.LittleEndian.AppendUint64(b, number)
	return binary.LittleEndian.AppendUint64(b, 0)
}

// endFrame completes the frame that begins at b[start:], and will begin at an offset of the file.
func endFrame(b []byte, start int, offset int64) []byte {
	binary.LittleEndian.PutUint32(b[start+16:], uint32(len(b)-start-headBytes))
	for (len(b)-start)%8 != 0 {
		b = append(b, 0)
	}
	return binary.LittleEndian.AppendUint64(b, xxh3.HashSeed(b[start:], uint64(offset)))
}

// AppendFrame appends a whole frame that will begin at an offset of its file.
func AppendFrame(b []byte, offset int64, kind Kind, number uint64, payload []byte) []byte {
	start := len(b)
	return endFrame(append(beginFrame(b, kind, number), payload...), start, offset)
}

// frameBytes returns the length of the frame that begins with head, if that may be the head of one.
func frameBytes(head []byte) (n int64, ok bool) {
	if len(head) < headBytes || string(head[:4]) != frameMagic || binary.LittleEndian.Uint32(head[20:]) != 0 {
		return 0, false
	}
	payload := int64(binary.LittleEndian.Uint32(head[16:]))
	return (payload+7)&^7 + Overhead, payload <= mostPayload
}

func corruptAt(at int64, format string, args ...any) error {
	return &Damage{at, fmt.Sprintf(format, args...)}
}
