package memory

import "github.com/mithril-stream/mithril-stream/internal/framelog"

// A Kind implements the part of a memory that depends on its sketches. Lookup and Decode set the
// current record, to which the other methods apply.
type Kind interface {
	// Check returns an error unless sketches holds exactly the sketches of that many records.
	Check(sketches []uint64, records int) error
	// Size returns the number of words of the first sketch in sketches.
	Size(sketches []uint64) int
	// CheckCapacity returns ErrFull if the memory cannot take another record.
	CheckCapacity() error
	// Lookup makes the record of sketch the current one. It returns the most similar earlier
	// record, or the zero Match, and whether that record is identical, in which case the current
	// one need not be remembered.
	Lookup(sketch []uint64) (best Match, isCopy bool, err error)
	// FindIdentical returns the record whose entry is identical to the current record, or 0.
	FindIdentical() (record uint64, err error)
	// Remember adds an entry for the current record, and appends it to log if log is not nil.
	Remember(record uint64, log *Log) error

	// Header returns the header of the log.
	Header() framelog.Header
	// Decode reads the first entry of entries, which begin at offset at of the log.
	Decode(entries []byte, at int64) (record uint64, rest []byte, err error)
	// Restore adds the entry that Decode has read.
	Restore(record uint64) error
}

// A Renewing kind has entries that age. A copy of an entry renews it: from then on the entry is as
// recent as the copy. Renewals are stored in the log like entries, but do not count as entries.
type Renewing interface {
	Kind
	// Renew makes the entry that Lookup or Decode found to be identical to the current record as
	// recent as that record. If it was less recent, the renewal is appended to log, unless log is
	// nil. record may be earlier than the last record.
	Renew(record uint64, log *Log) error
	// IsRenewal reports whether Decode has read a renewal.
	IsRenewal() bool
}

// Core implements what all memories share: queries, counts and the log. Every Index embeds it, and
// it provides most of the methods of Index.
type Core struct {
	kind       Kind     // nil once the memory is closed
	renewing   Renewing // same as kind if that is Renewing
	unseenOnly bool
	// prefetch reads ahead what the kind needs for the first sketch in sketches; nil if it needs
	// nothing.
	prefetch func(sketches []uint64)
	// placeForgotten adds the current entry as a forgotten one; nil if no entry refers to another.
	placeForgotten func() error
	log            *Log  // nil if entries are not logged
	err            error // the error that made the memory unusable

	counted framelog.Counts // of the records observed or passed
	entries uint64
	current uint64 // the record whose entry is being read from a log

	forgotten recordSet // records that the log marks as forgotten
}

// NewCore returns the Core of an empty memory. With unseenOnly it remembers only records that have
// no match.
func NewCore(kind Kind, unseenOnly bool) Core {
	renewing, _ := kind.(Renewing)
	return Core{kind: kind, renewing: renewing, unseenOnly: unseenOnly}
}

// PrefetchBy sets a function that reads ahead what the kind needs for the first sketch in sketches,
// while the kind works on the previous one.
func (c *Core) PrefetchBy(prefetch func(sketches []uint64)) { c.prefetch = prefetch }

// PlaceForgottenBy is for a kind whose entries are referred to by later ones: place adds the
// current entry as a forgotten one, which keeps its place and is never returned as a match.
func (c *Core) PlaceForgottenBy(place func() error) { c.placeForgotten = place }

// Observe looks up records and remembers them, one after the other, so that each is compared with
// all before it. sketches holds their sketches, concatenated. Observe sets matches[i] to the
// earlier record that record i resembles most, the earliest if several are equal, or to the zero
// Match. It returns the number of records observed, which is less than len(matches) only if err is
// not nil. A full index observes nothing.
func (c *Core) Observe(sketches []uint64, matches []Match) (observed int, err error) {
	clear(matches)
	return c.ObserveBeside(sketches, matches)
}

// ObserveBeside is like Observe for records that were looked up in other memories first: matches
// holds their results, and a result is replaced only by a more similar record.
func (c *Core) ObserveBeside(sketches []uint64, matches []Match) (observed int, err error) {
	if err := c.check(sketches, len(matches)); err != nil {
		return 0, err
	}
	for i := range matches {
		if err := c.kind.CheckCapacity(); err != nil {
			return i, err
		}
		size := c.kind.Size(sketches)
		if c.prefetch != nil && i+1 < len(matches) {
			c.prefetch(sketches[size:])
		}
		if matches[i], err = c.observe(sketches[:size], matches[i]); err != nil {
			return i, err
		}
		sketches = sketches[size:]
	}
	return len(matches), nil
}

// observe looks up one record and remembers it.
func (c *Core) observe(sketch []uint64, elsewhere Match) (Match, error) {
	best, isCopy, err := c.kind.Lookup(sketch)
	if err != nil {
		return Match{}, err
	}
	best = Closer(elsewhere, best)
	isDuplicate := best.Record != 0
	if !(isDuplicate && c.unseenOnly) {
		if err := c.remember(isCopy); err != nil {
			return Match{}, err
		}
	}
	c.counted.Records++
	if isDuplicate {
		c.counted.Duplicates++
	}
	if isCopy {
		c.counted.Copies++
	}
	return best, nil
}

// Enter implements Index.
func (c *Core) Enter(sketch []uint64) error {
	if err := c.check(sketch, 1); err != nil {
		return err
	}
	if err := c.kind.CheckCapacity(); err != nil {
		return err
	}
	_, isCopy, err := c.kind.Lookup(sketch)
	if err != nil {
		return err
	}
	if err := c.remember(isCopy); err != nil {
		return err
	}
	c.counted.Records++
	return nil
}

// remember adds an entry for the next record, which is the current one. If the record is a copy, it
// renews the entry that it is a copy of.
func (c *Core) remember(isCopy bool) error {
	switch {
	case !isCopy:
		if c.err = c.kind.Remember(c.counted.Records+1, c.log); c.err == nil {
			c.entries++
		}
	case c.renewing != nil:
		c.err = c.renewing.Renew(c.counted.Records+1, c.log)
	}
	return c.err
}

// Renew makes the entry that is identical to a sketch, if any, as recent as a record that was
// observed before.
func (c *Core) Renew(record uint64, sketch []uint64) error {
	if err := c.check(sketch, 1); err != nil {
		return err
	}
	if _, _, err := c.kind.Lookup(sketch); err != nil {
		return err
	}
	known, err := c.kind.FindIdentical()
	if err != nil || known == 0 {
		return err
	}
	c.err = c.renewing.Renew(record, c.log)
	return c.err
}

// Query is like ObserveBeside, but remembers nothing.
func (c *Core) Query(sketches []uint64, matches []Match) error {
	if err := c.check(sketches, len(matches)); err != nil {
		return err
	}
	for i := range matches {
		size := c.kind.Size(sketches)
		if c.prefetch != nil && i+1 < len(matches) {
			c.prefetch(sketches[size:])
		}
		best, _, err := c.kind.Lookup(sketches[:size])
		if err != nil {
			return err
		}
		matches[i], sketches = Closer(matches[i], best), sketches[size:]
	}
	return nil
}

// Ready returns an error if sketch is not a valid sketch for this memory.
func (c *Core) Ready(sketch []uint64) error { return c.check(sketch, 1) }

// ReadyFor returns an error unless sketches holds that many valid sketches for this memory.
func (c *Core) ReadyFor(sketches []uint64, records int) error { return c.check(sketches, records) }

func (c *Core) check(sketches []uint64, records int) error {
	switch {
	case c.kind == nil:
		return errClosed
	case c.err != nil:
		return c.err
	}
	return c.kind.Check(sketches, records)
}

// Pass counts records that have no sketch, so that Match.Record stays the position of a record in
// the stream.
func (c *Core) Pass(records int) { c.counted.Records += uint64(records) }

// Records returns the number of records observed or passed.
func (c *Core) Records() uint64 { return c.counted.Records }

// Counted returns the statistics that all kinds share.
func (c *Core) Counted() Stats {
	of := c.counted
	return Stats{Records: of.Records, Entries: c.entries, Duplicates: of.Duplicates, Copies: of.Copies}
}
