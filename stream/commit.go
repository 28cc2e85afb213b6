package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// A committer is the only goroutine that calls the judge and sends records through the chain. It
// takes batches in the order in which the reader queued them, so verdicts and output depend only on
// the order of the input (I2).
type committer struct {
	ledger
	intake     intake
	live       *liveStats
	gate       *gate
	known      *knownTexts // nil if texts are not looked up
	verdicts   verdicts    // of the batch
	chain      chain
	kept       fateSet // of the records that go to the output
	passing    passing // the record that is in the chain
	trail      *trail
	partial    partial
	checkpoint *timer // nil if there are no checkpoints
}

// partial describes a record that continues in the next batch.
type partial struct {
	decision   Decision // about the overlong record whose pieces are passing
	unfinished bool     // the last record continues in the next batch, or may when the input is given again
}

// newCommitter returns a committer for an input that begins with head, if that was skipped.
func newCommitter(o *Options, live *liveStats, head []byte) *committer {
	c := &committer{ledger: newLedger(o), live: live, gate: newGate(o.Unreadable, o.From.Records > 0)}
	c.trail = newTrail(o)
	c.intake = intake{opts: o, clock: timestamp.NewClock(o.From.LineTime)}
	c.head = bytes.Clone(head)
	p := plan{Options: o, stats: &c.stats, gate: c.gate, header: o.headerIn(head)}
	p.out = newLaneOutput(p)
	c.chain, c.kept = newChain(p, chainLinks), o.fatesOf(toOutput)
	c.checkpoint = newTimer(o.Checkpoints, c.stats.Records)
	return c
}

// run commits batches until the input ends, the context is done, or something fails. It then hands
// all decided records to the operating system, unless a write has failed: nothing more is written
// after that. A resumable run that is stopped makes a checkpoint.
func (c *committer) run(ctx context.Context) error {
	err := c.commitAll(ctx)
	switch {
	case errors.As(err, new(writeError)), errors.As(err, new(checkpointError)):
		return err
	case ctx.Err() != nil && c.checkpoint != nil:
		return errors.Join(err, c.reach())
	}
	if err == nil {
		err = c.gate.end(c.head)
	}
	if err == nil {
		err = c.atEnd()
	}
	err = errors.Join(err, c.chain.stop(), c.chain.flush())
	if err == nil && !c.hasLostAll() {
		err = c.chain.end()
	}
	return err
}

// hasLostAll reports whether no input could be read. Nothing is written then, not even what
// precedes and follows the records.
func (c *committer) hasLostAll() bool {
	return c.stats.Records == 0 && c.stats.Lost > 0 && c.stats.Lost == uint64(len(c.opts.Inputs))
}

func (c *committer) commitAll(ctx context.Context) error {
	for {
		b, err := c.next(ctx)
		if b == nil || err != nil {
			return err
		}
		err = c.commit(b)
		c.live.store(c.stats)
		if err == nil {
			err = c.mark(b)
		}
		if err != nil {
			return err
		}
		if c.checkpoint.due(c.stats.Records) {
			if err := c.reach(); err != nil {
				return err
			}
		}
		if b.err != nil {
			if err := c.inputFailed(b); err != nil {
				return err
			}
			c.chain.inputFailed(b.err)
		}
		c.intake.recycle(b)
	}
}

// next returns the next batch once its worker is done, or nil at the end of input. It flushes
// before it waits for the reader, so that a slow pipe delivers decided records at once.
func (c *committer) next(ctx context.Context) (*batch, error) {
	if b := c.intake.known(); b != nil {
		return b, context.Cause(ctx)
	}
	var b *batch
	select {
	case b = <-c.intake.order:
	default:
		if err := c.chain.flush(); err != nil {
			return nil, err
		}
		var err error
		if b, err = c.wait(ctx); err != nil {
			return nil, err
		}
	}
	if b == nil {
		// the reader closes the queue at the end of input, and when the run is stopped
		return nil, context.Cause(ctx)
	}
	if err := c.intake.ready(ctx, b); err != nil {
		return nil, err
	}
	return b, context.Cause(ctx) // a stop takes effect before the batch, not in its middle
}

// wait waits for an input that has nothing to read. Meanwhile it makes checkpoints that become due.
func (c *committer) wait(ctx context.Context) (*batch, error) {
	inserting := c.chain.inserting()
	for {
		select {
		case b := <-c.intake.order:
			return b, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.checkpoint.ticks():
			if err := c.reach(); err != nil {
				return nil, err
			}
		case <-inserting.ticks():
			if err := errors.Join(inserting.due(), c.chain.flush()); err != nil {
				return nil, err
			}
		}
	}
}

// commit decides about each record of the batch and sends it through the chain.
func (c *committer) commit(b *batch) error {
	c.open(b)
	c.partial.unfinished = b.piece == FirstPiece || b.piece == MiddlePiece || b.added > 0
	if err := c.chain.begin(b); err != nil {
		return err
	}
	c.verdicts.judge(c.opts.Method.Judge, b.sketches)
	c.known.learn(b, c.verdicts.list[:c.verdicts.judged])
	c.passing.batch, c.passing.at = b, &c.stats.At
	for i := range b.records {
		d, err := c.decide(b, i)
		if err == nil {
			err = c.send(i, d)
		}
		if err != nil {
			return errors.Join(c.chain.done(), c.placed(b, i, err))
		}
	}
	return errors.Join(c.chain.done(), c.verdicts.refusal)
}

// send sends record i of the batch through the chain.
func (c *committer) send(i int, d Decision) error {
	r := &c.passing
	r.decision, r.number, r.judged, r.index = d, c.stats.Records, c.verdicts.used-1, i
	r.isKept = c.kept.has(d.Fate)
	err := c.chain.process(r)
	if b := r.batch; b.isFramed && r.isFirst() {
		c.trail.note(b.framed.List[i].Names, r.decision.Fate.IsKept())
	}
	return err
}

// placed adds the position of record i to the error of a RecordWriter.
func (c *committer) placed(b *batch, i int, err error) error {
	var of recordError
	if !errors.As(err, &of) {
		return err
	}
	name, record := c.whereIs(b, i)
	at := Place{Input: name, Unit: c.opts.Format.Unit(), Record: record}
	return writeError{of.name, fmt.Errorf("%s%w", at, of.err)}
}

// mark passes on the mark, if the batch is one.
func (c *committer) mark(b *batch) error {
	if c.opts.Mark == nil || b.framed.Tag == nil || len(b.framed.List) > 0 {
		return nil
	}
	if err := c.opts.Mark(b.framed.Tag); err != nil {
		return checkpointError{err}
	}
	return nil
}
