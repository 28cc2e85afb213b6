package memory

// A Kind is what memories of different sketches do each in its own way. Ask and Decode make a
// record the one at hand, to which the other methods refer.
type Kind interface {
	// Check refuses words that are not the sketches of so many records.
	Check(sketches []uint64, records int) error
	// Size is how many words the first of some sketches has.
	Size(sketches []uint64) int
	// Room is ErrFull if no more record can be observed.
	Room() error
	// Ask returns the earlier record that one resembles most, or the zero Match, and whether it is
	// the same, so that the record at hand need not be remembered.
	Ask(sketch []uint64) (best Match, isCopy bool, err error)
	// Known is the record of an entry that is the same as the one at hand, or 0.
	Known() (record uint64, err error)
	// Remember makes an entry of the record at hand, and writes it to the log, unless that is nil.
	Remember(record uint64, log *Log) error

	// Header is the header of the log.
	Header() []byte
	// Decode takes the first entry of some in a frame of the log, at an offset of it.
	Decode(entries []byte, at int64) (record uint64, rest []byte, err error)
	// Restore makes an entry again of one that was decoded.
	Restore(record uint64) error
}

// foreseeing is a Kind that is told of the record after the one that it is asked about next, so
// that the memory that will be read for it comes to the cache meanwhile.
type foreseeing interface{ Foresee(sketches []uint64) }

// Core is what all memories have: it asks, counts and writes down. It is part of the indexes of all
// kinds, and has most of the methods of Index.
type Core struct {
	kind       Kind // nil of a memory that is closed
	unseenOnly bool
	log        *Log  // where entries are written down, or nil
	err        error // what has broken the memory

	records, duplicates, copies, entries uint64
}

// NewCore returns the core of an empty memory, of unseen records only if so asked.
func NewCore(kind Kind, unseenOnly bool) Core { return Core{kind: kind, unseenOnly: unseenOnly} }

// Observe asks about some records and remembers them, one after the other: each is compared with
// all before it. Their sketches stand one after the other. matches[i] becomes the earlier record
// that record i resembles most, the earliest of several, or the zero Match if there is none. It
// returns how many records it has observed: all, unless there is an error. A full index observes
// nothing.
func (c *Core) Observe(sketches []uint64, matches []Match) (observed int, err error) {
	clear(matches)
	return c.ObserveBeside(sketches, matches)
}

// ObserveBeside is Observe for records that other memories were asked about before: what these have
// found stands in matches, and stays there if this one knows nothing that is more similar.
func (c *Core) ObserveBeside(sketches []uint64, matches []Match) (observed int, err error) {
	if err := c.check(sketches, len(matches)); err != nil {
		return 0, err
	}
	ahead, foresees := c.kind.(foreseeing)
	for i := range matches {
		if err := c.kind.Room(); err != nil {
			return i, err
		}
		size := c.kind.Size(sketches)
		if foresees && i+1 < len(matches) {
			ahead.Foresee(sketches[size:])
		}
		if matches[i], err = c.observe(sketches[:size], matches[i]); err != nil {
			return i, err
		}
		sketches = sketches[size:]
	}
	return len(matches), nil
}

// observe asks about a record and remembers it.
func (c *Core) observe(sketch []uint64, elsewhere Match) (Match, error) {
	best, isCopy, err := c.kind.Ask(sketch)
	if err != nil {
		return Match{}, err
	}
	best = Closer(elsewhere, best)
	isDuplicate := best.Record != 0
	if !isCopy && !(isDuplicate && c.unseenOnly) {
		if c.err = c.kind.Remember(c.records+1, c.log); c.err != nil {
			return Match{}, c.err
		}
		c.entries++
	}
	c.records++
	if isDuplicate {
		c.duplicates++
	}
	if isCopy {
		c.copies++
	}
	return best, nil
}

// Query asks about some records like ObserveBeside, and remembers nothing.
func (c *Core) Query(sketches []uint64, matches []Match) error {
	if err := c.check(sketches, len(matches)); err != nil {
		return err
	}
	ahead, foresees := c.kind.(foreseeing)
	for i := range matches {
		size := c.kind.Size(sketches)
		if foresees && i+1 < len(matches) {
			ahead.Foresee(sketches[size:])
		}
		best, _, err := c.kind.Ask(sketches[:size])
		if err != nil {
			return err
		}
		matches[i], sketches = Closer(matches[i], best), sketches[size:]
	}
	return nil
}

// Ready is why a sketch cannot be asked about, if it cannot.
func (c *Core) Ready(sketch []uint64) error { return c.check(sketch, 1) }

func (c *Core) check(sketches []uint64, records int) error {
	switch {
	case c.kind == nil:
		return errClosed
	case c.err != nil:
		return c.err
	}
	return c.kind.Check(sketches, records)
}

// Pass counts records that have no sketch, so that Match.Record goes on being the number of a
// record in the stream.
func (c *Core) Pass(records int) { c.records += uint64(records) }

// Records is how many records were observed or passed.
func (c *Core) Records() uint64 { return c.records }

// Counted are the numbers that all kinds have.
func (c *Core) Counted() Stats {
	return Stats{Records: c.records, Entries: c.entries, Duplicates: c.duplicates, Copies: c.copies}
}
