package memory

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// A Log is what a memory remembers, in a file to which is only appended. It counts up to a length
// that Sync has returned, and that is kept elsewhere. docs/design/format.md defines it.
type Log = framelog.Writer

// A LogFile is what a log is kept in.
type LogFile = framelog.File

// Load returns the index that make makes of p, with what is in a log of that length, and appends to
// the log from now on. A length of 0 begins a new log. Each note is handed over in its order, if
// notes is not nil. What is after the length is cut off.
func Load[P any, X Index](
	make func(P) (X, error), p P, file LogFile, length int64, notes func(note []byte) error,
) (X, error) {
	x, err := make(p)
	if err != nil {
		return x, err
	}
	return wholeOrNone(x, x.Load(file, length, notes))
}

// Read is Load of a log that is not changed. The file must stay open as long as the index.
func Read[P any, X Index](
	make func(P) (X, error), p P, file io.ReaderAt, length int64, notes func(note []byte) error,
) (X, error) {
	x, err := make(p)
	if err != nil {
		return x, err
	}
	return wholeOrNone(x, x.Read(file, length, notes))
}

// wholeOrNone closes an index that could not be loaded.
func wholeOrNone[X Index](x X, err error) (X, error) {
	if err == nil {
		return x, nil
	}
	var none X
	return none, errors.Join(err, x.Close())
}

// Load has a memory, which is empty, do what the function Load says. It is of no use after an
// error.
func (c *Core) Load(file LogFile, length int64, notes func(note []byte) error) error {
	err := c.Read(file, length, notes)
	if err == nil {
		c.log, err = framelog.NewWriter(file, length, c.kind.Header())
		c.readSets(file)
	}
	return err
}

// Read has a memory, which is empty, do what the function Read says.
func (c *Core) Read(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	c.readSets(file)
	if length == 0 {
		return nil
	}
	forgotten, err := forgottenIn(file, length)
	if err != nil {
		return err
	}
	return framelog.Read(file, length, framelog.Contents{
		Header: c.kind.Header(), Notes: notes,
		Entries: func(payload []byte, at int64) error {
			return c.eachEntry(payload, at, 0, func() error {
				if !forgotten.has(c.records) {
					c.entries++
					return c.kind.Restore(c.records)
				}
				if k, ok := c.kind.(placing); ok {
					return k.Place()
				}
				return nil
			})
		},
		Counts: func(counted framelog.Counts) error {
			if counted.Records < c.records {
				return fmt.Errorf("%w: it counts %d records after record %d", ErrCorrupt, counted.Records, c.records)
			}
			c.records, c.duplicates, c.copies = counted.Records, counted.Duplicates, counted.Copies
			return nil
		},
	})
}

// readSets has the sets of a Kind that has some read from a file, which must stay open as long as
// the memory, and from what the log has not written yet.
func (c *Core) readSets(file io.ReaderAt) {
	if k, ok := c.kind.(interface{ LoggedSets() *Sets }); ok && k.LoggedSets() != nil {
		k.LoggedSets().ReadFrom(file, c.log)
	}
}

// eachEntry counts the records of the entries of a frame, which follow those before, and calls do
// with each of them at hand.
func (c *Core) eachEntry(payload []byte, at int64, before uint64, do func() error) error {
	for rest := payload; len(rest) > 0; {
		number, after, err := c.kind.Decode(rest, at+int64(len(payload)-len(rest)))
		if err != nil {
			return err
		}
		if before+number <= c.records {
			return fmt.Errorf("%w: record %d follows record %d", ErrCorrupt, number, c.records-before)
		}
		c.records, rest = before+number, after
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// Absorb has a memory remember what is in the log of another one of the same parameters, up to a
// length: its records follow those of this memory, with higher numbers. What is known already stays
// an entry of the earlier record; what that log says is forgotten is left out, with its id. shift
// is how much is to be added to numbers of records in notes, each of which is handed over if notes
// is not nil. known, if it is not nil, is told the number of each record that is known already, and
// which one that is.
func (c *Core) Absorb(
	file io.ReaderAt, length int64, notes func(note []byte, shift uint64) error, known func(record, first uint64),
) error {
	if length == 0 {
		return nil
	}
	forgotten, err := forgottenIn(file, length)
	if err != nil {
		return err
	}
	before := c.counts()
	copies := uint64(0)
	var counted framelog.Counts // the last ones of the log count all of it
	contents := framelog.Contents{
		Header: c.kind.Header(),
		Entries: func(payload []byte, at int64) error {
			return c.eachEntry(payload, at, before.Records, func() error {
				if forgotten.has(c.records - before.Records) {
					return nil
				}
				first, err := c.kind.Known()
				if err != nil {
					return err
				}
				if first > 0 {
					copies++
					if known != nil {
						known(c.records, first)
					}
					return nil
				}
				c.entries++
				return c.kind.Remember(c.records, c.log)
			})
		},
		Counts: func(of framelog.Counts) error {
			counted = of
			return nil
		},
	}
	if notes != nil {
		contents.Notes = func(note []byte) (err error) {
			if len(forgotten) > 0 && IsNames(note) {
				note, err = WithoutIDs(note, forgotten)
			}
			if err != nil {
				return err
			}
			return notes(note, before.Records)
		}
	}
	err = framelog.Read(file, length, contents)
	c.records = before.Records + counted.Records
	c.duplicates = before.Duplicates + counted.Duplicates
	c.copies = before.Copies + counted.Copies + copies
	return err
}

func (c *Core) counts() framelog.Counts {
	return framelog.Counts{Records: c.records, Duplicates: c.duplicates, Copies: c.copies}
}

// Log is where entries are written down, nil if nowhere.
func (c *Core) Log() *Log { return c.log }

// Note appends to the log a few bytes that belong to what was observed so far.
func (c *Core) Note(note []byte) error {
	if c.log == nil {
		return errNoLog
	}
	return c.log.Note(note)
}

// Sync makes everything observed so far durable, with what was noted. It returns the length of the
// log.
func (c *Core) Sync() (length int64, err error) {
	if c.log == nil {
		return 0, errNoLog
	}
	return c.log.SyncWith(c.counts())
}

// VerifyLog checks every checksum of a log up to a length, with little memory. It may be the log of
// any kind.
func VerifyLog(file io.ReaderAt, length int64) error {
	return framelog.Read(file, length, framelog.Contents{})
}

// VerifyEnd refuses what follows on the length of a log in its file, unless it is frames that were
// not committed.
func VerifyEnd(file io.ReaderAt, length, size int64) error {
	return framelog.CheckEnd(file, length, size)
}

// ReadNotes hands over the notes of a log up to a length, in their order, and remembers nothing
// else of it.
func ReadNotes(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	return framelog.Read(file, length, framelog.Contents{Notes: notes})
}
