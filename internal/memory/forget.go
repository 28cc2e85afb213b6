package memory

import (
	"encoding/json"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Forgetting a record appends its number to the log, so cutting off the log undoes it. A reader of
// the log skips the entries of forgotten records as if they had never been remembered. Absorb drops
// them for good when it writes a new log.

// A recordSet is a set of record numbers.
type recordSet map[uint64]struct{}

func (s recordSet) has(record uint64) bool {
	_, ok := s[record]
	return ok
}

// forgottenIn returns the records that a log marks as forgotten.
func forgottenIn(file io.ReaderAt, length int64) (recordSet, error) {
	var s recordSet
	err := framelog.ReadForgotten(file, length, func(record uint64) {
		if s == nil {
			s = recordSet{}
		}
		s[record] = struct{}{}
	})
	return s, err
}

// HasForgotten reports whether a record was marked as forgotten in the log that was loaded.
func (c *Core) HasForgotten(record uint64) bool { return c.forgotten.has(record) }

// Forget truncates the log to length, and appends a mark that the records are forgotten, followed
// by notes about them. It returns the new length.
func Forget(file LogFile, length int64, records []uint64, notes [][]byte) (longer int64, err error) {
	log, err := framelog.NewWriter(file, length, framelog.Header{})
	if err == nil {
		err = log.Forget(records)
	}
	for _, note := range notes {
		if err == nil {
			err = log.Note(note)
		}
	}
	if err != nil {
		return 0, err
	}
	return log.Flush()
}

// Numbers lists the records of a log.
type Numbers struct {
	Entries   []uint64            // records that have an entry, forgotten ones included, in order
	Forgotten map[uint64]struct{} // forgotten records, including those without an entry
}

// ReadNumbers returns the records in a log of this kind and passes each note to notes. It remembers
// nothing, and the memory must not be used afterwards.
func (c *Core) ReadNumbers(
	file io.ReaderAt, length int64, notes func(note []byte) error,
) (n Numbers, err error) {
	if n.Forgotten, err = forgottenIn(file, length); err != nil {
		return n, err
	}
	err = framelog.Read(file, length, framelog.Contents{
		Header: c.kind.Header(), Notes: notes,
		Entries: func(payload []byte, at int64) error {
			return c.eachEntry(payload, at, 0, func() error {
				if !c.isRenewal() {
					n.Entries = append(n.Entries, c.counted.Records)
				}
				return nil
			})
		},
	})
	return n, err
}

// WithoutIDs returns a note of names without the ids of the given records.
func WithoutIDs(text []byte, of map[uint64]struct{}) ([]byte, error) {
	note, err := readNote(text)
	if err != nil {
		return nil, err
	}
	first := note.Records - uint64(len(note.IDs)) + 1
	for i := range note.IDs {
		if recordSet(of).has(first + uint64(i)) {
			note.IDs[i] = json.RawMessage("null")
		}
	}
	return json.Marshal(note)
}

// Each calls do with the name of each record, as JSON. name is valid only during the call.
func (n *Names) Each(do func(record uint64, name []byte)) {
	var name []byte
	for record := n.base + 1; record <= n.records; record++ {
		name = n.Append(name[:0], record)
		do(record, name)
	}
}
