package journal

import (
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Continuation is a judge that decides about the first records as an earlier run did, and has
// another judge decide about the others: for an input that has grown.
type Continuation struct {
	replayer *Replayer
	judge    stream.Judge
	again    uint64 // records that are decided as then
	torn     bool   // the last record of that run may have been cut off
}

// Continue returns the judge for an input that begins with the input of a run. It checks the files
// of the run. If the records of the run were not whole, the last one may go on now.
func (j *Journal) Continue(run Run, whole bool, judge stream.Judge) (*Continuation, error) {
	r, err := j.Replay(run, nil)
	if err != nil {
		return nil, err
	}
	return &Continuation{replayer: r, judge: judge, torn: !whole && run.Records > 0}, nil
}

// Judge decides about a batch, part by part.
func (c *Continuation) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	if n := int(min(c.left(), uint64(len(out)))); n > 0 {
		judged, err = c.replayer.Judge(b.Slice(0, n), out[:n])
		c.again += uint64(judged)
	}
	if err == nil && judged < len(out) && c.torn {
		judged, err = c.judgeTorn(b, out, judged)
	}
	if err != nil || judged == len(out) {
		return judged, err
	}
	more, err := c.judge.Judge(b.Slice(judged, len(out)), out[judged:])
	return judged + more, err
}

// left is how many records are surely those of the run, and were not judged yet.
func (c *Continuation) left() uint64 {
	left := c.replayer.run.Records - c.replayer.seen
	if c.torn {
		left--
	}
	return left
}

// judgeTorn decides about record i, the last one of the run. If it is another one now, it was cut
// off then, and what was kept of it is not in the output any more: so it is kept, although it
// resembles that. One that could not be read then is not remembered, and is judged like any other.
func (c *Continuation) judgeTorn(b stream.Batch, out []stream.Verdict, i int) (judged int, err error) {
	c.torn = false
	then, was, err := c.replayer.last(b.Sketch(i), b.Problems[i])
	if err != nil {
		return i, err
	}
	if was == lastSame {
		out[i] = then
		c.again++
		return i + 1, nil
	}
	judged, err = c.judge.Judge(b.Slice(i, i+1), out[i:i+1])
	if judged > 0 && !then.Duplicate && was != lastUnreadable {
		out[i].Duplicate = false
	}
	return i + judged, err
}

// Again is how many records were decided as then. The other judge knows nothing of them.
func (c *Continuation) Again() uint64 { return c.again }

// Replaying reports whether the next record is to be decided as then.
func (c *Continuation) Replaying() bool { return c.torn || c.left() > 0 }

// Foresees reports whether the other judge wants to know batches beforehand; while verdicts are
// repeated it is not asked about them.
func (c *Continuation) Foresees() bool {
	judge, ok := c.judge.(stream.Foreseer)
	return ok && !c.Replaying() && judge.Foresees()
}

// Foresee passes on what comes next.
func (c *Continuation) Foresee(batches []stream.Batch) error {
	return c.judge.(stream.Foreseer).Foresee(batches)
}

// End is called when the input has ended. It fails if the run had more records.
func (c *Continuation) End() error { return c.replayer.End() }

// Close closes the files of the run.
func (c *Continuation) Close() error { return c.replayer.Close() }
