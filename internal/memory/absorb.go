package memory

import (
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Absorb adds to this memory what the first length bytes of another log with the same parameters
// hold. Its records are numbered after those of this memory. A record that is known already keeps
// its earlier entry; records that the log marks as forgotten are left out, with their ids. shift is
// added to the record numbers in each note before it is passed to notes, unless notes is nil. If
// known is not nil, Absorb calls it with the number of each record that was known already, and the
// record that it equals.
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
	a := absorption{Core: c, before: c.counted, forgotten: forgotten, known: known}
	contents := framelog.Contents{
		Header: c.kind.Header(),
		Entries: func(payload []byte, at int64) error {
			return c.eachEntry(payload, at, a.before.Records, a.entry)
		},
		Counts: func(of framelog.Counts) error {
			a.ofLog = of
			return nil
		},
	}
	if notes != nil {
		contents.Notes = func(note []byte) error { return a.note(note, notes) }
	}
	err = framelog.Read(file, length, contents)
	c.counted = framelog.Counts{
		Records:    a.before.Records + a.ofLog.Records,
		Duplicates: a.before.Duplicates + a.ofLog.Duplicates,
		Copies:     a.before.Copies + a.ofLog.Copies + a.copies,
	}
	return err
}

// An absorption adds another log to a memory.
type absorption struct {
	*Core
	before    framelog.Counts // of the memory alone
	ofLog     framelog.Counts // of the log; the last ones in it cover all of it
	copies    uint64          // records that were known already
	forgotten recordSet       // in the log, by its own numbers
	known     func(record, first uint64)
}

// entry adds the entry that eachEntry has decoded.
func (a *absorption) entry() error {
	isForgotten := a.forgotten.has(a.current - a.before.Records)
	switch {
	case a.isRenewal() && !isForgotten:
		return a.renewing.Renew(a.current, a.log)
	case isForgotten && a.renewing != nil && !a.isRenewal(): // renewals of it may follow
		return a.placeForgotten()
	case isForgotten:
		return nil
	case a.renewing == nil: // otherwise the entry that this one replaces was too old
		first, err := a.kind.FindIdentical()
		if err != nil {
			return err
		}
		if first > 0 {
			a.copies++
			if a.known != nil {
				a.known(a.counted.Records, first)
			}
			return nil
		}
	}
	a.entries++
	return a.kind.Remember(a.counted.Records, a.log)
}

// note passes on a note of the log, without the ids of forgotten records.
func (a *absorption) note(note []byte, notes func(note []byte, shift uint64) error) (err error) {
	if len(a.forgotten) > 0 && IsNames(note) {
		if note, err = WithoutIDs(note, a.forgotten); err != nil {
			return err
		}
	}
	return notes(note, a.before.Records)
}
