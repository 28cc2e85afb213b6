package memory

import (
	"encoding/json"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Records are forgotten by their numbers, which are appended to the log: so it is taken back by
// cutting the log off. Whoever reads the log passes over their entries, as if they had never been
// remembered. The entries leave the file when Absorb makes a new log of it.

// recordSet is some records, by their numbers.
type recordSet map[uint64]struct{}

func (s recordSet) has(record uint64) bool {
	_, ok := s[record]
	return ok
}

// forgottenIn is what a log says is forgotten.
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

// Forget appends to a log, up to a length, that records are forgotten, and notes of that, and makes
// both durable. What is after the length is cut off. It returns the length from then on.
func Forget(file LogFile, length int64, records []uint64, notes [][]byte) (longer int64, err error) {
	log, err := framelog.NewWriter(file, length, nil)
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
	return log.Sync()
}

// A placing Kind has entries that say where later ones are found. One that is forgotten keeps its
// place, and is no answer.
type placing interface {
	// Place takes the entry at hand for one that is forgotten.
	Place() error
}

// Numbers is which records a log has.
type Numbers struct {
	Entries   []uint64            // those that have an entry, also if it is forgotten, in their order
	Forgotten map[uint64]struct{} // those that are forgotten, also if they had no entry
}

// ReadNumbers says which records are in a log of this kind, and hands over its notes. Nothing is
// remembered, and the memory is of no use after it.
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
				n.Entries = append(n.Entries, c.records)
				return nil
			})
		},
	})
	return n, err
}

// WithoutIDs makes a note of names one without the ids of some records.
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

// Each hands over the name of each record, as JSON. It is good until the next one.
func (n *Names) Each(do func(record uint64, name []byte)) {
	var name []byte
	for record := n.base + 1; record <= n.records; record++ {
		name = n.Append(name[:0], record)
		do(record, name)
	}
}
