package framelog

import (
	"encoding/binary"
	"fmt"
	"io"
)

// The kinds of frames in the logs of all memories.
const (
	kindEntries   = 1
	kindNote      = 2
	kindCounts    = 3
	kindForgotten = 4
	countsBytes   = 3 * 8
)

// Counts are the counters of a memory when its log was made durable.
type Counts struct{ Records, Duplicates, Copies uint64 }

// Contents receives the contents of a log.
type Contents struct {
	Header []byte // the expected header; nil for any
	// called with a frame of entries and its offset; nil skips them
	Entries func(payload []byte, at int64) error
	Notes   func(note []byte) error // nil skips them
	Counts  func(Counts) error      // nil skips them

	Buffer *[]byte // buffer for frames, reused for the next log; nil allocates one
}

// Read passes the contents of a log to to, in order. The log must be intact up to length.
func Read(file io.ReaderAt, length int64, to Contents) error {
	buf := to.Buffer
	if buf == nil {
		buf = new([]byte)
	}
	return frames(file, length, buf, to.checkHeader, func(kind uint32, payload []byte, at int64) error {
		switch {
		case kind == kindEntries:
			if to.Entries != nil {
				return to.Entries(payload, at)
			}
		case kind == kindNote:
			if to.Notes != nil {
				return to.Notes(payload)
			}
		case kind == kindForgotten && len(payload)%8 == 0: // handled by ReadForgotten
		case kind == kindCounts && len(payload) == countsBytes:
			if to.Counts != nil {
				return to.Counts(Counts{
					Records: binary.LittleEndian.Uint64(payload), Duplicates: binary.LittleEndian.Uint64(payload[8:]),
					Copies: binary.LittleEndian.Uint64(payload[16:]),
				})
			}
		case kind <= kindForgotten:
			return fmt.Errorf("%w: a frame of kind %d with %d bytes", ErrCorrupt, kind, len(payload))
		default:
			return fmt.Errorf("%w: a frame of kind %d", ErrVersion, kind)
		}
		return nil
	})
}

// ReadForgotten calls forgotten with the numbers of the records that a log marks as forgotten,
// before or after their entries. It skips the payloads of all other frames.
func ReadForgotten(file io.ReaderAt, length int64, forgotten func(record uint64)) error {
	var buf []byte
	for at := int64(headerBytes); at < length; {
		kind, size, err := readHead(file, at, length)
		if err != nil {
			return err
		}
		if kind == kindForgotten {
			if buf, err = readFrame(file, buf, at, length); err != nil {
				return err
			}
			for payload := buf[frameHead : len(buf)-8]; len(payload) >= 8; payload = payload[8:] {
				forgotten(binary.LittleEndian.Uint64(payload))
			}
		}
		at += size
	}
	return nil
}

// checkHeader returns an error for the log of another memory, or of a newer version, which is the
// first number in a header.
func (c Contents) checkHeader(header []byte) error {
	switch {
	case c.Header == nil || string(header) == string(c.Header):
		return nil
	case string(header[:8]) == string(c.Header[:8]) && versionOf(header) > versionOf(c.Header):
		return fmt.Errorf("%w: it is of version %d, this program knows %d", ErrVersion, versionOf(header),
			versionOf(c.Header))
	}
	return corruptAt(0, "its header is not that of this index")
}

func versionOf(header []byte) uint64 { return binary.LittleEndian.Uint64(header[8:]) }
