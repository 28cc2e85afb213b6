package stream

import (
	"fmt"
)

// A fate is what becomes of a record.
type fate uint8

const (
	unseen    fate = iota // resembles no earlier record: kept
	duplicate             // resembles an earlier one: removed
	tolerated             // could not be read: kept all the same, and reported (I6)
	diverted              // could not be read: left out of the output, since the user asked for that
	blank                 // has no text: kept
	dropped               // has no text: left out, since the user asked for that
)

// goesOn reports whether the record belongs in the output.
func (f fate) goesOn() bool { return f == unseen || f == tolerated || f == blank }

var flagKept, flagRemoved = []byte("1\n"), []byte("0\n")

// flag is the fate as a line of the flags file.
func (f fate) flag() []byte {
	if f.goesOn() {
		return flagKept
	}
	return flagRemoved
}

// judge decides a record and counts it. keys are the band keys of this and the following records of the batch.
func (c *committer) judge(b *batch, r *record, keys *[]Key) (fate, error) {
	if b.piece == middlePiece || b.piece == lastPiece {
		return c.overlong, nil
	}
	c.stats.Records++
	c.stats.At.Records++
	if r.problem.kind != readable {
		f := c.setAside(r.problem)
		if b.piece == firstPiece {
			c.overlong = f
		}
		return f, nil
	}
	bands := c.opts.Bands
	seen, err := c.opts.Index.Observe((*keys)[:bands])
	if err != nil {
		return unseen, fmt.Errorf("%s:%d: %w", c.stats.At.Name, c.stats.At.Records, err)
	}
	*keys = (*keys)[bands:]
	if seen {
		c.stats.Duplicates++
		return duplicate, nil
	}
	c.stats.Unseen++
	return unseen, nil
}

// setAside deals with a record that has no text to compare (I6).
func (c *committer) setAside(p problem) fate {
	if p.kind == emptyText && c.opts.Empty != EmptyReject {
		c.stats.Empty++
		if c.opts.Empty == EmptyDrop {
			return dropped
		}
		return blank
	}
	c.stats.Rejects[p.kind]++
	if c.stats.FirstReject == nil {
		place := c.place(p.describe(c.opts.Format, c.opts.MaxRecord))
		c.stats.FirstReject = &place
	}
	if c.opts.OnError == ErrorDivert {
		return diverted
	}
	return tolerated
}

// lose deals with an input that cannot be read behind the records so far.
func (c *committer) lose(b *batch) error {
	c.enter(b.input)
	if c.opts.Lost == nil || isFatal(b.err) {
		return fmt.Errorf("read %s: after %s %d: %w", c.stats.At.Name, unitOf(c.opts.Format), c.stats.At.Records, b.err)
	}
	place := c.place(b.err.Error())
	c.stats.At.Lost = true
	if c.stats.Lost++; c.stats.FirstLost == nil {
		c.stats.FirstLost = &place
	}
	c.opts.Lost(place)
	return nil
}

// place is that of the last record.
func (c *committer) place(problem string) Place {
	return Place{Input: c.stats.At.Name, Unit: c.opts.Format.unit(), Record: c.stats.At.Records, Problem: problem}
}
