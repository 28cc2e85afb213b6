package framelog

import (
	"encoding/binary"
	"fmt"
	"io"
)

const countsBytes = 3 * 8

// Counts are the counters of a memory when its log was made durable.
type Counts struct{ Records, Duplicates, Copies uint64 }

// Contents receives the contents of a log without commits, which is committed elsewhere.
type Contents struct {
	Header Header // the expected header; without Holds any will do
	// called with a frame of entries and its offset; nil skips them
	Entries func(payload []byte, at int64) error
	Notes   func(note []byte) error // nil skips them
	Counts  func(Counts) error      // nil skips them

	Reader *Reader // reused for the next log; nil makes one
}

// Read passes the contents of a log to to, in order. The log must be intact up to length.
func Read(file io.ReaderAt, length int64, to Contents) error {
	if length < HeaderBytes {
		return corruptAt(0, "it was committed up to %d, which is less than its header", length)
	}
	if err := to.checkHeader(file); err != nil {
		return err
	}
	r := to.Reader
	if r == nil {
		r = &Reader{}
	}
	r.Reset(file, length)
	for at := int64(HeaderBytes); at < length; {
		f, err := r.At(at)
		if err != nil {
			return err
		}
		if err := to.take(f); err != nil {
			return fmt.Errorf("at byte %d: %w", at, err)
		}
		at = f.End
	}
	return nil
}

func (c Contents) checkHeader(file io.ReaderAt) error {
	if c.Header.Holds != "" {
		return c.Header.Check(file)
	}
	name := make([]byte, len(Magic)+nameBytes)
	if err := readStart(file, name); err != nil {
		return err
	}
	_, err := ReadHeader(file, string(name[len(Magic):]))
	return err
}

// take passes on what a frame holds.
func (c Contents) take(f Frame) error {
	switch {
	case f.Kind == Entries:
		if c.Entries != nil {
			return c.Entries(f.Payload, f.PayloadAt())
		}
	case f.Kind == Note:
		if c.Notes != nil {
			return c.Notes(f.Payload)
		}
	case f.Kind == Forgotten && len(f.Payload)%8 == 0: // handled by ReadForgotten
	case f.Kind == Tally && len(f.Payload) == countsBytes:
		if c.Counts != nil {
			return c.Counts(Counts{
				Records:    binary.LittleEndian.Uint64(f.Payload),
				Duplicates: binary.LittleEndian.Uint64(f.Payload[8:]),
				Copies:     binary.LittleEndian.Uint64(f.Payload[16:]),
			})
		}
	default:
		return fmt.Errorf("%w: a frame of kind %d with %d bytes", ErrCorrupt, f.Kind, len(f.Payload))
	}
	return nil
}

// ReadForgotten calls forgotten with the numbers of the records that a log marks as forgotten,
// before or after their entries. It skips the payloads of all other frames.
func ReadForgotten(file io.ReaderAt, length int64, forgotten func(record uint64)) error {
	r := NewReader(file, length)
	for at := int64(HeaderBytes); at < length; {
		kind, end, err := r.headAt(at)
		if err != nil {
			return err
		}
		if kind == Forgotten {
			f, err := r.At(at)
			if err != nil {
				return err
			}
			for payload := f.Payload; len(payload) >= 8; payload = payload[8:] {
				forgotten(binary.LittleEndian.Uint64(payload))
			}
		}
		at = end
	}
	return nil
}
