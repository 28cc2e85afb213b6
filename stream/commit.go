package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"
)

// A committer is the one goroutine that has records judged and writes them. It takes the batches in
// the order in which the reader queued them, so verdicts and output depend on the order of the
// input alone (I2).
type committer struct {
	opts  *Options
	stats Stats
	live  *liveStats

	kept, duplicates, rejects *output

	shards   *sharder // nil if the output is not divided
	gate     *gate
	verdicts verdicts    // of the batch at hand
	known    *knownTexts // nil if texts are not looked up
	present  presence    // of all records so far
	omitted  []omittedOf // of the batch at hand, from the next record on
	decided  Decided     // what the sinks are told about the record at hand

	annotation []byte // of the record at hand
	edited     []byte // the same
	inserted   []byte // before it

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
	c.shards = newSharder(o.Shards, o.From)
	held := c.gate
	if c.shards != nil {
		held = nil // what is held back would have to be divided again
	}
	c.kept = newOutput("output", o.Output, &c.stats.Written.Output, held)
	if c.shards != nil && c.kept != nil {
		c.kept.start = c.stats.Written.Output - o.From.Shard.Bytes
	}
	c.duplicates = newOutput("duplicates", o.Duplicates, &c.stats.Written.Duplicates, c.gate)
	c.rejects = newOutput("rejects", o.Rejects, &c.stats.Written.Rejects, c.gate)
	c.kept.use(o.Format, o.Convert, o.Packed.Output)
	c.duplicates.use(o.Format, o.Convert, o.Packed.Duplicates)
	if o.EditedOnly && c.kept != nil { // what is written is no record any more
		c.kept.frame, c.kept.bare = frame{}, true
	} else if o.Array {
		c.kept.useArray()
	}
	if o.Array {
		c.duplicates.useArray()
	}
	c.rejects.use(o.Format, false, o.Packed.Rejects)
	c.duplicates.useUnion(o.Union)
	c.rejects.useUnion(o.Union)
	if c.shards == nil || !c.shards.byInput() {
		c.kept.useUnion(o.Union)
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
	err = errors.Join(err, c.insertEnd(), c.flush())
	if err == nil {
		err = c.end()
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
		if err := c.flush(); err != nil {
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
			if err := c.insertDue(); err != nil {
				return nil, err
			}
		}
	}
}

// commit decides about each record of the batch and sends it where it belongs. Where the format
// allows it, neighbouring records of the output leave in one piece, straight from the batch (I1).
func (c *committer) commit(b *batch) error {
	c.countInput(b)
	c.stats.LineTime = b.lineTime
	c.midRecord = b.piece == FirstPiece || b.piece == MiddlePiece
	c.atOpenEnd = b.added > 0
	if err := c.enterShard(b.input); err != nil {
		return err
	}
	if err := c.begin(b.header()); err != nil {
		return err
	}
	c.verdicts.ask(c.opts.Method.Judge, b.sketches)
	c.omitted = b.omitted
	c.notePresence(b)
	c.known.learn(b, c.verdicts.list[:c.verdicts.judged])
	var buf []byte
	from, to := 0, 0 // the run of records in buf that are due in the output
	inRuns := !c.opts.Annotate && c.opts.Members == nil && c.opts.Insert == nil && c.kept.inRuns() &&
		!c.kept.rewrites(b)
	for i := range b.records {
		r := &b.records[i]
		d, err := c.decide(b, i)
		if err == nil && c.isShardFull(b, to-from) && c.leaves(d) {
			err = errors.Join(c.kept.write(buf[from:to]), c.nextShard(c.recordsBefore(d)))
			from = to
		}
		if err == nil {
			err = c.insertBefore(b, i, d)
		}
		if err == nil {
			err = c.report(b, i, d)
		}
		switch {
		case err != nil:
		case d.Fate == Aside && c.kept.converts():
		case c.opts.Annotate:
			err = c.annotate(b, r, d)
		case c.opts.Edit != nil && d.Fate == Unseen && b.piece == WholeRecords:
			err = errors.Join(c.kept.write(buf[from:to]), c.edit(b, i))
			from = to
		case c.opts.EditedOnly:
		case d.Fate.GoesOn() && !inRuns:
			err = c.kept.writeRecord(b, r, c.members(d))
		case d.Fate.GoesOn():
			all, start, end := c.kept.bytesOf(b, r)
			if start != to {
				err = c.kept.write(buf[from:to])
				from = start
			}
			buf, to = all, end
		}
		if err != nil {
			return errors.Join(c.kept.write(buf[from:to]), c.placed(b, i, err))
		}
		if c.shards != nil && c.leaves(d) && d.Fate != Aside && b.piece <= FirstPiece {
			c.shards.written++
		}
	}
	err := errors.Join(c.kept.write(buf[from:to]), c.verdicts.refusal)
	if c.shards != nil {
		c.stats.Shard = c.shards.at(c.stats.Records, c.kept, 0)
	}
	return err
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

// leaves reports whether a record goes to the output.
func (c *committer) leaves(d Decision) bool {
	switch {
	case d.Fate == Aside && c.kept.converts():
		return false
	case c.opts.Annotate:
		return d.Fate != Aside && d.Fate != Diverted && d.Fate != Dropped
	}
	return d.Fate.GoesOn()
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

// begin writes what stands before the records to each stream that has none yet.
func (c *committer) begin(header []byte) error {
	if len(header) > 0 && c.stats.Header == 0 {
		c.stats.Header = headerHash(header)
	}
	if c.shards != nil && len(header) > 0 {
		c.shards.header = append(c.shards.header[:0], header...)
	}
	for _, o := range []*output{c.kept, c.duplicates, c.rejects} {
		if err := o.begin(header); err != nil {
			return err
		}
	}
	return nil
}

// end writes what stands after the records.
func (c *committer) end() error {
	if err := c.endShards(); err != nil {
		return err
	}
	for _, o := range []*output{c.kept, c.duplicates, c.rejects} {
		if err := errors.Join(o.begin(nil), o.end()); err != nil {
			return err
		}
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

// report writes to the streams beside the output, and tells the sinks.
func (c *committer) report(b *batch, i int, d Decision) (err error) {
	r := &b.records[i]
	switch d.Fate {
	case Aside:
		return nil
	case Duplicate:
		err = c.duplicates.writeRecord(b, r, nil)
	case Diverted, Tolerated:
		err = c.rejects.writeRecord(b, r, nil)
	}
	if err != nil {
		return err
	}
	return c.tell(b, i, d)
}

// annotate writes every record but the diverted and the dropped ones, with its verdict where it is
// an object.
func (c *committer) annotate(b *batch, r *record, d Decision) error {
	if d.Fate == Diverted || d.Fate == Dropped {
		return nil
	}
	c.annotation = c.appendAnnotation(c.annotation[:0], d)
	return c.kept.writeRecord(b, r, c.annotation)
}

// members are what is added to the record at hand, which is the last one counted. They are nil for
// one that is no object, or that nobody has judged.
func (c *committer) members(d Decision) []byte {
	add := c.opts.Members
	if add == nil || d.Fate != Unseen || d.Problem.kind != readable && !d.Problem.isOfText() {
		return nil
	}
	c.annotation = add.Append(c.annotation[:0], c.stats.Records)
	return c.annotation
}

// edit writes what Options.Edit makes of the record at hand.
func (c *committer) edit(b *batch, i int) error {
	r := &b.records[i]
	e := Editable{
		Body: b.buf[r.start:r.body], Terminator: b.buf[r.body:r.end], Number: c.verdicts.used - 1, table: b.table,
	}
	var mark []byte // that of the byte order, which is no part of the record
	switch {
	case c.kept.converts():
		e.Body, e.Terminator = c.kept.converted(b, r), newline
	case c.kept.rewrites(b):
		e.Body, e.Terminator, e.table = c.kept.rewritten(b, r), c.kept.rows.end(e.Terminator, b.table), c.opts.Union.own
	default:
		text := withoutMark(e.Body)
		mark, e.Body = e.Body[:len(e.Body)-len(text)], text
	}
	if c.opts.EditedOnly { // then what is written is no record any more
		mark = nil
	}
	edited, changed, err := c.opts.Edit(append(c.edited[:0], mark...), e)
	if err != nil {
		name, record := c.whereIs(b, i)
		return fmt.Errorf("%s:%d: %w", name, record, err)
	}
	c.edited = keep(edited)
	switch {
	case c.opts.EditedOnly:
		return c.kept.write(edited)
	case !changed:
		return c.kept.writeRecord(b, r, nil)
	case len(edited) == len(mark):
		return nil
	}
	return c.kept.writeLine(edited, nil, true)
}

// flush hands everything that is decided to the operating system. The output goes first: what is
// said about records is about those that have left.
func (c *committer) flush() error {
	for _, o := range []*output{c.kept, c.duplicates, c.rejects} {
		if err := o.flush(); err != nil {
			return err
		}
	}
	if c.gate.closed {
		return nil
	}
	for _, s := range c.opts.Sinks {
		if err := s.Flush(); err != nil {
			return asWriteError(err)
		}
	}
	return nil
}
