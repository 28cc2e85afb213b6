package memory

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// A Log holds what a memory remembers, in an append-only file. It is valid up to a length that
// Flush returned, and that a commit of the index lists (internal/index). docs/design/memory-logs.md
// defines the format.
type Log = framelog.Writer

// A LogFile is the storage of a log.
type LogFile = framelog.File

// Load returns the index that make creates from p, filled from the first length bytes of the log in
// file, and appends to that log from then on. Whatever follows length is cut off; a length of 0
// starts a new log. If notes is not nil, Load calls it with each note in order.
func Load[P any, X Index](
	make func(P) (X, error), p P, file LogFile, length int64, notes func(note []byte) error,
) (X, error) {
	x, err := make(p)
	if err != nil {
		return x, err
	}
	return wholeOrNone(x, x.Load(file, length, notes))
}

// Read is like Load for a log that must not change. The file must stay open as long as the index is
// used.
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

// Load does for an empty memory what the function Load describes. After an error the memory must
// not be used.
func (c *Core) Load(file LogFile, length int64, notes func(note []byte) error) error {
	err := c.Read(file, length, notes)
	if err == nil {
		c.log, err = framelog.NewWriter(file, length, c.kind.Header())
		c.readSets(file)
	}
	return err
}

// Read does for an empty memory what the function Read describes.
func (c *Core) Read(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	c.readSets(file)
	if length == 0 {
		return nil
	}
	var err error
	if c.forgotten, err = forgottenIn(file, length); err != nil {
		return err
	}
	return framelog.Read(file, length, framelog.Contents{
		Header: c.kind.Header(), Notes: notes,
		Entries: func(payload []byte, at int64) error {
			return c.eachEntry(payload, at, 0, func() error {
				isForgotten := c.forgotten.has(c.current)
				switch {
				case c.isRenewal() && !isForgotten:
					return c.renewing.Renew(c.current, nil)
				case c.isRenewal(), isForgotten && c.placeForgotten == nil:
					return nil
				case isForgotten:
					return c.placeForgotten()
				}
				c.entries++
				return c.kind.Restore(c.counted.Records)
			})
		},
		Counts: func(of framelog.Counts) error {
			if last := c.counted.Records; of.Records < last {
				return fmt.Errorf("%w: it counts %d records after record %d", ErrCorrupt, of.Records, last)
			}
			c.counted = of
			return nil
		},
	})
}

// readSets makes a Kind that stores sets read them from file, which must stay open as long as the
// memory is used, and from the unwritten end of the log.
func (c *Core) readSets(file io.ReaderAt) {
	if k, ok := c.kind.(interface{ LoggedSets() *Sets }); ok && k.LoggedSets() != nil {
		k.LoggedSets().ReadFrom(file, c.log)
	}
}

// isRenewal reports whether the current entry is a renewal of an earlier one.
func (c *Core) isRenewal() bool { return c.renewing != nil && c.renewing.IsRenewal() }

// eachEntry decodes the entries of a frame, counts their records, which follow the before records
// of earlier frames, and calls do for each entry while it is the current one, of the current
// record.
func (c *Core) eachEntry(payload []byte, at int64, before uint64, do func() error) error {
	for rest := payload; len(rest) > 0; {
		number, after, err := c.kind.Decode(rest, at+int64(len(payload)-len(rest)))
		if err != nil {
			return err
		}
		if before+number <= c.counted.Records && !c.isRenewal() {
			return fmt.Errorf("%w: record %d follows record %d", ErrCorrupt, number, c.counted.Records-before)
		}
		c.current, rest = before+number, after
		c.counted.Records = max(c.counted.Records, c.current)
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// Note appends a short note about the records observed so far to the log.
func (c *Core) Note(note []byte) error {
	if c.log == nil {
		return errNoLog
	}
	return c.log.Note(note)
}

// Flush writes everything observed and noted so far to the log, and returns its length. It does not
// make it durable.
func (c *Core) Flush() (length int64, err error) {
	if c.log == nil {
		return 0, errNoLog
	}
	return c.log.FlushWith(c.counted)
}

// ReadNotes calls notes with each note in the first length bytes of a log, in order. It keeps
// nothing else.
func ReadNotes(file io.ReaderAt, length int64, notes func(note []byte) error) error {
	return framelog.Read(file, length, framelog.Contents{Notes: notes})
}
