package journal

import (
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Continuation judges an input that has grown. It repeats the verdicts of an earlier run for the
// first records, and leaves the others to a judge.
type Continuation struct {
	replayer *Replayer
	judge    stream.Judge
	again    uint64 // records whose verdicts were repeated
	torn     bool   // the last record of that run may have been cut off
	repeated bool   // only some of the verdicts on the last batch were repeated
}

// Continue returns a Continuation for an input that begins with the input of a run, after checking
// the run's files. If whole is false, the run's last record may have been incomplete and be longer
// now.
func (j *Journal) Continue(run Run, whole bool, judge stream.Judge) (*Continuation, error) {
	r, err := j.Replay(run, Pieces{})
	if err != nil {
		return nil, err
	}
	return &Continuation{replayer: r, judge: judge, torn: !whole && run.Records > 0}, nil
}

// Judge returns the judge of the whole input. While verdicts are repeated, the other judge gets no
// batches in advance, and does not remember a batch that contains such verdicts for good.
func (c *Continuation) Judge() stream.Judge {
	judge := c.judge
	judge.Decide = c.decide
	if judge.CanPrefetch != nil {
		judge.CanPrefetch = func() bool { return !c.Replaying() && c.judge.CanPrefetch() }
	}
	if judge.Remembers != nil {
		judge.Remembers = func(votes uint16) bool { return !c.repeated && c.judge.Remembers(votes) }
	}
	return judge
}

// decide judges a batch, part by part.
func (c *Continuation) decide(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	c.repeated = c.Replaying()
	if n := int(min(c.left(), uint64(len(out)))); n > 0 {
		judged, err = c.replayer.decide(b.Slice(0, n), out[:n])
		c.again += uint64(judged)
	}
	if err == nil && judged < len(out) && c.torn {
		judged, err = c.judgeTorn(b, out, judged)
	}
	if err != nil || judged == len(out) {
		return judged, err
	}
	more, err := c.judge.Decide(b.Slice(judged, len(out)), out[judged:])
	return judged + more, err
}

// left returns how many of the next records are certainly those of the run.
func (c *Continuation) left() uint64 {
	left := c.replayer.run.Records - c.replayer.seen
	if c.torn {
		left--
	}
	return left
}

// judgeTorn judges record i, the last one of the run. If it differs now, it was cut off in that
// run, and that run's output of it has been cut off again. So it is kept, although the index
// contains its beginning. If it was unreadable in that run, the index does not contain it, and it
// is judged like any other.
func (c *Continuation) judgeTorn(b stream.Batch, out []stream.Verdict, i int) (judged int, err error) {
	c.torn = false
	then, was, err := c.replayer.last(b, i)
	if err != nil {
		return i, err
	}
	if was == lastSame {
		out[i] = then
		c.again++
		return i + 1, nil
	}
	judged, err = c.judge.Decide(b.Slice(i, i+1), out[i:i+1])
	if judged > 0 && !then.Duplicate && was != lastUnreadable {
		out[i].Duplicate = false
	}
	return i + judged, err
}

// Again returns the number of records whose verdicts were repeated. The other judge has not seen
// them.
func (c *Continuation) Again() uint64 { return c.again }

// Replaying reports whether the next record's verdict is to be repeated.
func (c *Continuation) Replaying() bool { return c.torn || c.left() > 0 }

// End must be called at the end of the input. It returns an error if the run had more records.
func (c *Continuation) End() error { return c.replayer.End() }

// Close closes the files of the run.
func (c *Continuation) Close() error { return c.replayer.Close() }
