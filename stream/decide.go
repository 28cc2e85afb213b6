package stream

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A Fate is what happens to a record.
type Fate uint8

const (
	Unseen    Fate = iota // resembles no earlier record: kept
	Duplicate             // resembles an earlier one: removed
	Tolerated             // could not be read: kept all the same, and reported (I6)
	Diverted              // could not be read: left out of the output, as the user asked
	Blank                 // has no text, or is a blank line: kept
	Dropped               // has no text: left out, as the user asked; or a blank line that has no place in the output
	Aside                 // is no record to judge: kept
	Follower              // is none either, but refers to a record that is not kept: removed
)

// IsKept reports whether the record is written to the output.
func (f Fate) IsKept() bool {
	return f == Unseen || f == Tolerated || f == Blank || f == Aside
}

// isJudged reports whether records with this fate are judged and counted.
func (f Fate) isJudged() bool { return f != Aside && f != Follower }

// A Decision is the verdict about a record, and what happens to the record.
type Decision struct {
	Fate    Fate
	Verdict Verdict // zero if the record has a problem and so was not judged
	Problem Problem // why the record has no sketch; zero if it has one
}

// verdicts are the verdicts on the current batch.
type verdicts struct {
	list    []Verdict
	judged  int   // how many of the first ones count
	used    int   // how many were taken
	refusal error // why there are no more
}

// judge gets the verdicts on a batch.
func (v *verdicts) judge(judge Judge, b Batch) {
	n := b.Len()
	*v = verdicts{list: slices.Grow(v.list[:0], n)[:n]}
	if n > 0 {
		v.judged, v.refusal = judge.Decide(b, v.list)
	}
	if v.judged < n && v.refusal == nil {
		v.refusal = fmt.Errorf("internal error: %T has judged %d of %d records", judge, v.judged, n)
	}
}

// next returns the number of the next record of the batch, and its verdict.
func (v *verdicts) next() (i int, verdict Verdict, err error) {
	i = v.used
	if i >= v.judged {
		return i, Verdict{}, v.refusal
	}
	v.used++
	return i, v.list[i], nil
}

// decide decides about record i of the batch and counts it.
func (c *committer) decide(b *batch, i int) (Decision, error) {
	if b.records[i].aside {
		return c.decideAside(b, i), nil
	}
	r := b.records[i]
	if b.piece == MiddlePiece || b.piece == LastPiece {
		return c.partial.decision, c.gate.goOn(r.end-r.start, c.head)
	}
	c.stats.Records++
	c.stats.At.Records++
	number, verdict, err := c.verdicts.next()
	var d Decision
	if err == nil {
		p := b.sketches.Problems[number]
		if c.gate.closed {
			if err := c.gate.pass(p, r.end-r.start, func() Place { return c.placeOf(b, i, p) }, c.head); err != nil {
				return d, err
			}
		}
		d, err = c.follow(b, i, verdict, p)
	}
	if err != nil {
		name, record := c.whereIs(b, i)
		c.stats.Records-- // it was not decided
		c.stats.At.Records--
		return Decision{}, fmt.Errorf("%s:%d: %w", name, record, err)
	}
	c.countOmitted(b, i)
	if b.piece == FirstPiece {
		c.partial.decision = d
	}
	return d, nil
}

// follow applies the judge's verdict if the record has something to compare.
func (c *committer) follow(b *batch, i int, v Verdict, p Problem) (Decision, error) {
	if !p.IsReadable() {
		if !c.opts.Method.DecidesAll {
			fate := c.setAside(b, i, p)
			if !fate.IsKept() {
				c.stats.Withheld++
			}
			return Decision{Fate: fate, Problem: p}, nil
		}
		if p.Kind() == record.KindBlankLine && !v.Duplicate && !c.blankLines {
			c.stats.Blank++
			c.stats.Withheld++
			return Decision{Fate: Dropped, Problem: p}, nil
		}
		if !v.Duplicate && c.cannotLeave(p) {
			return Decision{}, fmt.Errorf("the record is to be kept, but it cannot be converted: %s",
				p.Describe(c.opts.Format, c.opts.MaxRecord))
		}
	}
	if v.Duplicate {
		c.stats.Duplicates++
		return Decision{Fate: Duplicate, Verdict: v, Problem: p}, nil
	}
	c.stats.Unseen++
	return Decision{Fate: Unseen, Verdict: v, Problem: p}, nil
}
