package fingerprints

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// ErrCorrupt says that a log is damaged, shorter than it was, or of another index.
var ErrCorrupt = framelog.ErrCorrupt

const (
	logMagic   = "mithham\x00"
	logVersion = 1
)

// A LogFile is what a Log is kept in.
type LogFile interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
}

// A Log is what an Index remembers, in a file to which is only appended. It counts up to a length
// that Sync has returned, and that is kept elsewhere. docs/format.md defines it.
type Log struct{ frames *framelog.Writer }

// Load returns the index of a log of that length, and the log, to which the index appends from now
// on. A length of 0 begins a new log. Each note is handed over in its order, if notes is not nil.
// What is after the length is cut off.
func Load(file LogFile, length int64, p Params, notes func(note []byte) error) (*Index, *Log, error) {
	x, err := LoadReadOnly(file, length, p, notes)
	if err != nil {
		return nil, nil, err
	}
	frames, err := framelog.NewWriter(file, length, logHeader(p))
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	x.log = &Log{frames}
	return x, x.log, nil
}

// LoadReadOnly returns the index of a log, and changes nothing.
func LoadReadOnly(file io.ReaderAt, length int64, p Params, notes func(note []byte) error) (*Index, error) {
	x, err := New(p)
	if err != nil || length == 0 {
		return x, err
	}
	if err := x.readLog(file, length, notes); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Note appends a few bytes that belong to what was observed so far.
func (l *Log) Note(note []byte) error { return l.frames.Note(note) }

// Sync makes everything observed so far durable. It returns the length of the log, of which the
// index must have one.
func (x *Index) Sync() (length int64, err error) {
	return x.log.frames.SyncWith(framelog.Counts{Records: x.records, Duplicates: x.duplicates, Copies: x.copies})
}

// entry appends what is needed to remember a fingerprint again.
func (l *Log) entry(number uint64, fingerprint []uint64) error {
	l.frames.BeginEntry()
	l.frames.Uint64(number)
	for _, word := range fingerprint {
		l.frames.Uint64(word)
	}
	return l.frames.EndEntry()
}

func logHeader(p Params) []byte {
	return framelog.Header(logMagic, [4]uint64{logVersion, uint64(p.Bits), uint64(p.Distance), uint64(p.Measure)})
}

// readLog remembers what a log holds. It must be whole up to the length.
func (x *Index) readLog(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	return framelog.Read(file, length, framelog.Contents{
		Header: logHeader(x.params), Notes: notes, Counts: x.readCounts,
		Entries: func(payload []byte, _ int64) error { return x.readEntries(payload) },
	})
}

func (x *Index) readCounts(c framelog.Counts) error {
	if c.Records < x.records {
		return fmt.Errorf("%w: it counts %d records after record %d", ErrCorrupt, c.Records, x.records)
	}
	x.records, x.duplicates, x.copies = c.Records, c.Duplicates, c.Copies
	return nil
}

// readEntries remembers the entries of a frame.
func (x *Index) readEntries(payload []byte) error {
	return x.eachEntry(payload, func(number uint64, fingerprint []uint64) error {
		if number <= x.records || number > math.MaxUint32 {
			return fmt.Errorf("%w: record %d follows record %d", ErrCorrupt, number, x.records)
		}
		x.records = number
		return x.remember(fingerprint)
	})
}

// eachEntry hands over the entries of a frame, one after the other.
func (x *Index) eachEntry(payload []byte, do func(number uint64, fingerprint []uint64) error) error {
	size := 8 * (1 + x.params.Words())
	if len(payload)%size != 0 {
		return fmt.Errorf("%w: a frame of %d bytes ends with a part of an entry", ErrCorrupt, len(payload))
	}
	fingerprint := make([]uint64, x.params.Words())
	for ; len(payload) > 0; payload = payload[size:] {
		for i := range fingerprint {
			fingerprint[i] = binary.LittleEndian.Uint64(payload[8+8*i:])
		}
		if err := do(binary.LittleEndian.Uint64(payload), fingerprint); err != nil {
			return err
		}
	}
	return nil
}
