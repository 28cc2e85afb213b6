package vectors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// ErrCorrupt says that a log is damaged, shorter than it was, or of another index.
var ErrCorrupt = framelog.ErrCorrupt

const (
	logMagic   = "mithvec\x00"
	logVersion = 1 // of the entries, and of how lists are divided

	entryHead = 8 + 4 // number of the record, list
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
		return nil, nil, err
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
		return nil, err
	}
	return x, nil
}

func logHeader(p Params) []byte {
	return framelog.Header(logMagic, [4]uint64{logVersion, uint64(p.Dims), mostRows, moreRows})
}

// ReadDims returns how many dimensions the vectors of a log have.
func ReadDims(file io.ReaderAt) (dims int, err error) {
	fields, err := framelog.ReadHeader(file, logMagic)
	if err == nil && (fields[0] != logVersion || fields[1] < 1 || fields[1] > maxDims) {
		err = fmt.Errorf("%w: its header is not that of a log of vectors", ErrCorrupt)
	}
	return int(fields[1]), err
}

// Note appends a few bytes that belong to what was observed so far.
func (l *Log) Note(note []byte) error { return l.frames.Note(note) }

// entry appends what is needed to remember a row again: with its list, since to find that would
// take as long as it did.
func (l *Log) entry(record uint64, into int, row []int8) error {
	w := l.frames
	w.BeginEntry()
	w.Uint64(record)
	w.Uint32(uint32(into))
	for _, word := range wordsOf(row) {
		w.Uint64(word)
	}
	return w.EndEntry()
}

var errNoLog = errors.New("the index has no log")

// Sync makes everything observed so far durable, if the index has a log. It returns the length of
// the log.
func (x *Index) Sync() (length int64, err error) {
	if x.log == nil {
		return 0, errNoLog
	}
	return x.log.frames.SyncWith(framelog.Counts{Records: x.records, Duplicates: x.duplicates, Copies: x.copies})
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

func (x *Index) readEntries(payload []byte) error {
	return x.eachEntry(payload, func(record uint64, into int) error {
		if record <= x.records || into >= len(x.lists) {
			return fmt.Errorf("%w: an entry of record %d in list %d of %d, after record %d", ErrCorrupt, record, into,
				len(x.lists), x.records)
		}
		x.records = record
		return x.remember(record, into)
	})
}

// eachEntry hands over the entries of a frame, one after the other: the query is their row then.
func (x *Index) eachEntry(payload []byte, do func(record uint64, into int) error) error {
	row := bytesOf(make([]uint64, x.bytes/8)) // aligned
	for ; len(payload) > 0; payload = payload[entryHead+x.bytes:] {
		if len(payload) < entryHead+x.bytes {
			return fmt.Errorf("%w: a frame ends with a part of an entry", ErrCorrupt)
		}
		record, into := binary.LittleEndian.Uint64(payload), binary.LittleEndian.Uint32(payload[8:])
		for i := range row {
			row[i] = int8(payload[entryHead+i])
		}
		if x.query.set(row); x.query.squares == 0 {
			return fmt.Errorf("%w: the entry of record %d is zero", ErrCorrupt, record)
		}
		if err := do(record, int(into)); err != nil {
			return err
		}
	}
	return nil
}
