package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zeebo/xxh3"
)

// A committer is the one goroutine that has records judged and sends them through the chain. It
// takes the batches in the order in which the reader queued them, so verdicts and output depend on
// the order of the input alone (I2).
type committer struct {
	opts  *Options
	stats Stats
	live  *liveStats

	chain    chain
	timed    timedLink // of the chain; nil if there is none
	leaving  fateSet   // of the records that go to the output
	passing  passing
	gate     *gate
	verdicts verdicts    // of the batch at hand
	known    *knownTexts // nil if texts are not looked up
	present  presence    // of all records so far
	omitted  []omittedOf // of the batch at hand, from the next record on

	head       []byte    // the first bytes of the input at hand, up to headSize
	unplaced   uint64    // bytes of the input after its last record
	midRecord  bool      // more of an overlong record is to come
	atOpenEnd  bool      // nothing terminates the last record in the input: it may go on when that is given again
	overlong   Decision  // about the overlong record whose pieces are passing
	checkpoint *timer    // nil if there are no checkpoints
	foreseen   []*batch  // that the judge knows of, and comes to next
	clock      lineClock // after the last batch that is ready, under Options.LineTimes
	ring       ring
}

func newCommitter(o *Options, live *liveStats) *committer {
	c := &committer{opts: o, live: live, stats: o.From, clock: newLineClock(o.From.LineTime)}
	c.gate = newGate(o.Unreadable, o.From.Records > 0)
	p := plan{Options: o, stats: &c.stats, gate: c.gate}
	p.out = newLaneOutput(p)
	c.chain, c.leaving = newChain(p, chainLinks), o.takes(toOutput)
	for _, l := range c.chain {
		if timed, ok := l.(timedLink); ok {
			c.timed = timed
		}
	}
	c.checkpoint = newTimer(o.Checkpoints, c.stats.Records)
	return c
}

// run commits batches until the input ends, the context is done, or something fails. Then it hands
// what is decided to the operating system, unless a write has failed: after that nothing more is
// written. A run that was stopped, and can be resumed, leaves a checkpoint.
func (c *committer) run(ctx context.Context, order <-chan *batch, free chan<- *batch) error {
	err := c.commitAll(ctx, order, free)
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
	if c.timed != nil {
		err = errors.Join(err, c.timed.stop())
	}
	err = errors.Join(err, c.chain.flush())
	if err == nil {
		err = c.chain.end()
	}
	return err
}

func (c *committer) commitAll(ctx context.Context, order <-chan *batch, free chan<- *batch) error {
	for {
		b, err := c.next(ctx, order, free)
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
			if err := c.lose(b); err != nil {
				return err
			}
		}
		c.ring.giveBack(b, free)
	}
}

// next waits for a batch that the workers are through with; nil is the end of input. Before it
// waits for the reader it flushes, so that a slow pipe gives out at once what is decided.
func (c *committer) next(ctx context.Context, order <-chan *batch, free chan<- *batch) (*batch, error) {
	if len(c.foreseen) > 0 {
		b := c.foreseen[0]
		c.foreseen = c.foreseen[1:]
		return b, context.Cause(ctx)
	}
	var b *batch
	select {
	case b = <-order:
	default:
		if err := c.chain.flush(); err != nil {
			return nil, err
		}
		var err error
		if b, err = c.wait(ctx, order); err != nil {
			return nil, err
		}
	}
	if b == nil {
		// the reader closes the queue at the end of input, and also when it is told to stop
		return nil, context.Cause(ctx)
	}
	select {
	case <-b.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c.timeLines(b)
	if err := c.foresee(ctx, b, order, free); err != nil {
		return nil, err
	}
	return b, context.Cause(ctx) // a stop takes effect before the batch, not in its middle
}

// wait is for an input that has nothing to give at the moment. Checkpoints go on meanwhile.
func (c *committer) wait(ctx context.Context, order <-chan *batch) (*batch, error) {
	for {
		select {
		case b := <-order:
			return b, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.checkpoint.ticks():
			if err := c.reach(); err != nil {
				return nil, err
			}
		case <-c.ticks():
			if err := errors.Join(c.timed.due(), c.chain.flush()); err != nil {
				return nil, err
			}
		}
	}
}

// ticks is when something is due though no record comes; nil if that is never so.
func (c *committer) ticks() <-chan time.Time {
	if c.timed == nil {
		return nil
	}
	return c.timed.ticks()
}

// commit decides about each record of the batch and sends it through the chain.
func (c *committer) commit(b *batch) error {
	c.countInput(b)
	c.stats.LineTime = b.lineTime
	c.midRecord = b.piece == FirstPiece || b.piece == MiddlePiece
	c.atOpenEnd = b.added > 0
	if header := b.header(); len(header) > 0 && c.stats.Header == 0 {
		c.stats.Header = headerHash(header)
	}
	if err := c.chain.begin(b); err != nil {
		return err
	}
	c.verdicts.ask(c.opts.Method.Judge, b.sketches)
	c.omitted = b.omitted
	c.notePresence(b)
	c.known.learn(b, c.verdicts.list[:c.verdicts.judged])
	for i := range b.records {
		d, err := c.decide(b, i)
		if err == nil {
			err = c.send(b, i, d)
		}
		if err != nil {
			return errors.Join(c.chain.done(), c.placed(b, i, err))
		}
	}
	return errors.Join(c.chain.done(), c.verdicts.refusal)
}

// send sends record i of the batch through the chain.
func (c *committer) send(b *batch, i int, d Decision) error {
	r := &c.passing
	r.decision, r.number, r.judged, r.at = d, c.stats.Records, c.verdicts.used-1, &c.stats.At
	r.batch, r.index, r.leaves = b, i, c.leaving.has(d.Fate)
	return c.chain.take(r)
}

// placed adds to what a RecordWriter says of record i where that record stands.
func (c *committer) placed(b *batch, i int, err error) error {
	var of recordError
	if !errors.As(err, &of) {
		return err
	}
	name, record := c.whereIs(b, i)
	at := Place{Input: name, Unit: c.opts.Format.unit(), Record: record}
	return writeError{of.name, fmt.Errorf("%s%w", at, of.err)}
}

// mark hands over a mark, if the batch is one.
func (c *committer) mark(b *batch) error {
	if c.opts.Mark == nil || b.framed.Tag == nil || len(b.framed.List) > 0 {
		return nil
	}
	if err := c.opts.Mark(b.framed.Tag); err != nil {
		return checkpointError{err}
	}
	return nil
}

// enter notes which input the records are from.
func (c *committer) enter(input int) {
	if name := c.opts.Inputs[input].Name; c.stats.At.Input != input || c.stats.At.Name == "" {
		c.stats.At = Position{Input: input, Name: name}
		c.head, c.unplaced = c.head[:0], 0
	}
}

func (c *committer) countInput(b *batch) {
	c.enter(b.input)
	if b.isFramed {
		c.stats.BytesIn += b.framed.Bytes
		c.stats.At.Bytes += b.framed.Bytes
		c.stats.At.Head = b.framed.Head
		return
	}
	input := b.buf[:len(b.buf)-b.added]
	c.unplaced += uint64(len(input))
	if missing := headSize - len(c.head); missing > 0 {
		c.head = append(c.head, input[:min(missing, len(input))]...)
	}
	if len(b.records) == 0 {
		return // a run is resumed after a record, not after what ends an array
	}
	if c.stats.At.Bytes < headSize {
		c.stats.At.Head = xxh3.Hash(c.head)
	}
	c.stats.BytesIn += c.unplaced
	c.stats.At.Bytes += c.unplaced
	c.unplaced = 0
}
