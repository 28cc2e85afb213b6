package lsh

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
	logMagic       = "mithlsh\x00"
	logVersion     = 1
	logVersionSets = 2 // of a log whose entries have sets

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
	x, err := read(file, length, p, notes)
	if err != nil {
		return nil, nil, err
	}
	frames, err := framelog.NewWriter(file, length, logHeader(p))
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	x.log, x.sets.file = &Log{frames}, file
	return x, x.log, nil
}

// LoadReadOnly returns the index of a log, and changes nothing. If it has sets, the file must stay
// open as long as the index is.
func LoadReadOnly(file io.ReaderAt, length int64, p Params, notes func(note []byte) error) (*Index, error) {
	return read(file, length, p, notes)
}

func read(file io.ReaderAt, length int64, p Params, notes func(note []byte) error) (*Index, error) {
	x, err := newEmpty(p)
	if err != nil || length == 0 {
		return x, err
	}
	x.sets.file = file
	if err = x.readLog(file, length, notes); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Note appends a few bytes that belong to what was observed so far.
func (l *Log) Note(note []byte) error { return l.frames.Note(note) }

// unwritten returns what is from an offset on, if that is not in the file yet.
func (l *Log) unwritten(at int64) (bytes []byte, ok bool) {
	if l == nil {
		return nil, false
	}
	return l.frames.Unwritten(at)
}

// Sync makes everything observed so far durable. It returns the length of the log.
func (x *Index) Sync() (length int64, err error) {
	return x.log.frames.SyncWith(framelog.Counts{Records: x.records, Duplicates: x.duplicates, Copies: x.copies})
}

// entry appends what is needed to remember an entry again, and says where its set is, if it has
// one.
func (l *Log) entry(
	number uint64, keys []uint32, signature []uint64, hasSet bool, set []uint64,
) (at int64, err error) {
	w := l.frames
	w.BeginEntry()
	w.Uint64(number)
	for _, key := range keys {
		w.Uint32(key)
	}
	for _, word := range signature {
		w.Uint64(word)
	}
	if hasSet {
		w.Uint64(uint64(len(set)))
		at = w.At()
		for _, word := range set {
			w.Uint64(word)
		}
	}
	return at, w.EndEntry()
}

func logHeader(p Params) []byte {
	version := uint64(logVersion)
	if p.Sets {
		version = logVersionSets
	}
	return framelog.Header(logMagic, [4]uint64{version, uint64(p.NumPerm), uint64(p.Bands), uint64(p.Rows)})
}

// VerifyLog checks every checksum of a log up to a length, with little memory. It may be that of
// another exact memory, such as one of package fingerprint.
func VerifyLog(file io.ReaderAt, length int64) error {
	return framelog.Read(file, length, framelog.Contents{})
}

// VerifyEnd refuses what follows on the length of such a log in its file, unless it is frames that
// were not committed.
func VerifyEnd(file io.ReaderAt, length, size int64) error {
	return framelog.CheckEnd(file, length, size)
}

// ReadNotes hands over the notes of a log up to a length, in their order, and remembers nothing
// else of it.
func ReadNotes(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	return framelog.Read(file, length, framelog.Contents{Notes: notes})
}

// readLog remembers what a log holds. It must be whole up to the length.
func (x *Index) readLog(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	return framelog.Read(file, length, framelog.Contents{
		Header: logHeader(x.params), Notes: notes,
		Entries: func(payload []byte, at int64) error {
			return x.entriesOf(payload, at, func(number uint64, signature []uint64) error {
				x.records = number
				_, err := x.remember(signature)
				return err
			})
		},
		Counts: func(c framelog.Counts) error {
			x.records, x.duplicates, x.copies = c.Records, c.Duplicates, c.Copies
			return nil
		},
	})
}

// entriesOf makes each entry of a frame the record at hand, and hands it over. The payload of the
// frame is at an offset of the log.
func (x *Index) entriesOf(payload []byte, at int64, each func(number uint64, signature []uint64) error) error {
	words := x.params.signatureWords()
	fixed := 8 + 4*len(x.keys) + 8*words
	signature := make([]uint64, words)
	for rest := payload; len(rest) > 0; {
		if len(rest) < fixed {
			return fmt.Errorf("%w: a frame of %d bytes ends with a part of an entry", ErrCorrupt, len(payload))
		}
		number := binary.LittleEndian.Uint64(rest)
		for i := range x.keys {
			x.keys[i] = binary.LittleEndian.Uint32(rest[8+4*i:])
		}
		for i := range signature {
			signature[i] = binary.LittleEndian.Uint64(rest[8+4*len(x.keys)+8*i:])
		}
		rest = rest[fixed:]
		if x.params.Sets {
			var ok bool
			if rest, ok = x.sets.cut(rest, at+int64(len(payload)-len(rest))); !ok {
				return fmt.Errorf("%w: a frame of %d bytes ends with a part of a set", ErrCorrupt, len(payload))
			}
		}
		if err := each(number, signature); err != nil {
			return err
		}
	}
	return nil
}
