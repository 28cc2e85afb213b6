package stream

import (
	"fmt"
	"slices"
)

// A Fate is what becomes of a record.
type Fate uint8

const (
	Unseen    Fate = iota // resembles no earlier record: kept
	Duplicate             // resembles an earlier one: removed
	Tolerated             // could not be read: kept all the same, and reported (I6)
	Diverted              // could not be read: left out of the output, since the user asked for that
	Blank                 // has no text: kept
	Dropped               // has no text: left out, since the user asked for that
	Aside                 // is no record to judge: kept
)

// GoesOn reports whether the record belongs in the output.
func (f Fate) GoesOn() bool { return f == Unseen || f == Tolerated || f == Blank || f == Aside }

var flagKept, flagRemoved = []byte("1\n"), []byte("0\n")

// flag is the fate as a line of the flags file.
func (f Fate) flag() []byte {
	if f.GoesOn() {
		return flagKept
	}
	return flagRemoved
}

// ask asks the index about all records of the batch, if it can answer them together.
func (c *committer) ask(b *batch) {
	c.asked, c.answers, c.refusal = 0, c.answers[:0], nil
	index, ok := c.opts.Index.(BatchIndex)
	if !ok || len(b.keys) == 0 {
		return
	}
	n := len(b.keys) / c.opts.Bands
	c.answers = slices.Grow(c.answers, n)[:n]
	n, c.refusal = index.ObserveBatch(b.keys, c.answers)
	c.answers = c.answers[:n]
}

// observe returns the index's answer about the next record of the batch.
func (c *committer) observe(b *batch) (seen bool, err error) {
	i, bands := c.asked, c.opts.Bands
	c.asked++
	switch {
	case i < len(c.answers):
		return c.answers[i], nil
	case c.refusal != nil:
		return false, c.refusal
	}
	return c.opts.Index.Observe(b.keys[i*bands : (i+1)*bands])
}

// judge decides record i of the batch and counts it.
func (c *committer) judge(b *batch, i int) (Fate, error) {
	if b.records[i].aside {
		return Aside, nil
	}
	if b.piece == MiddlePiece || b.piece == LastPiece {
		return c.overlong, nil
	}
	c.stats.Records++
	c.stats.At.Records++
	f, err := c.decide(b, i)
	if err != nil {
		name, number := c.whereIs(b, i)
		return Unseen, fmt.Errorf("%s:%d: %w", name, number, err)
	}
	if b.piece == FirstPiece {
		c.overlong = f
	}
	return f, nil
}

func (c *committer) decide(b *batch, i int) (Fate, error) {
	p := b.records[i].problem
	if c.opts.Verdicts != nil {
		return c.follow(p)
	}
	if p.kind != readable {
		if c.opts.Unasked != nil {
			if err := c.opts.Unasked(p); err != nil {
				return Unseen, err
			}
		}
		return c.setAside(b, i, p), nil
	}
	seen, err := c.observe(b)
	if err != nil {
		return Unseen, err
	}
	return c.count(!seen), nil
}

// follow does with a record what somebody has decided before.
func (c *committer) follow(p Problem) (Fate, error) {
	keep, err := c.opts.Verdicts.Next()
	switch {
	case err != nil:
		return Unseen, err
	case keep && c.opts.Convert && p.kind != readable && !p.isOfText():
		return Unseen, fmt.Errorf("the record is to be kept, but it cannot be converted: %s", p.describe(c.opts.Format, c.opts.MaxRecord))
	}
	return c.count(keep), nil
}

func (c *committer) count(keep bool) Fate {
	if keep {
		c.stats.Unseen++
		return Unseen
	}
	c.stats.Duplicates++
	return Duplicate
}

// setAside deals with a record that has no text to compare (I6).
func (c *committer) setAside(b *batch, i int, p Problem) Fate {
	if p.kind == emptyText && c.opts.Empty != EmptyReject {
		c.stats.Empty++
		if c.opts.Empty == EmptyDrop {
			return Dropped
		}
		return Blank
	}
	c.stats.Rejects[p.kind]++
	if c.stats.FirstReject == nil {
		name, number := c.whereIs(b, i)
		place := Place{Input: name, Unit: c.opts.Format.unit(), Record: number, Problem: p.describe(c.opts.Format, c.opts.MaxRecord)}
		c.stats.FirstReject = &place
	}
	if c.opts.OnError == ErrorDivert {
		return Diverted
	}
	return Tolerated
}

// lose deals with an input that cannot be read behind the records so far.
func (c *committer) lose(b *batch) error {
	c.enter(b.input)
	if c.opts.Lost == nil || isFatal(b.err) {
		return fmt.Errorf("read %s: after %s %d: %w", c.stats.At.Name, unitOf(c.opts.Format), c.stats.At.Records, b.err)
	}
	place := Place{Input: c.stats.At.Name, Unit: c.opts.Format.unit(), Record: c.stats.At.Records, Problem: b.err.Error()}
	c.stats.At.Lost = true
	if c.stats.Lost++; c.stats.FirstLost == nil {
		c.stats.FirstLost = &place
	}
	c.opts.Lost(place)
	return nil
}

// whereIs says where record i of the batch stands, which is the last one counted.
func (c *committer) whereIs(b *batch, i int) (input string, record uint64) {
	if b.framed.Place != nil {
		return b.framed.Place(i)
	}
	return c.stats.At.Name, c.stats.At.Records
}
