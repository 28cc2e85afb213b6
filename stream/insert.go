package stream

import (
	"errors"
	"time"
)

// An Inserter writes records of its own to the output, between those that are kept. The goroutine
// that decides calls it. What it appends to dst are whole records, with what ends them.
type Inserter interface {
	// Before appends what stands before a record that was judged, which is told without what ends
	// it, and not at all if it is too long. It is called once for each, in the order in which they
	// were judged.
	Before(dst, record []byte) []byte
	// Ticks is when Due is to be asked if no record comes; nil if that is never so.
	Ticks() <-chan time.Time
	// Due appends what is due now. All records that were judged have been told.
	Due(dst []byte) []byte
	// End appends what stands after the last record.
	End(dst []byte) []byte
}

var errInsert = errors.New("stream options: Insert writes records as they stand in the input: leave Convert, " +
	"Array, Annotate, Edit, Shards, Packed and Checkpoints out")

// checkInsert refuses what an Inserter does not go with.
func (o Options) checkInsert() error {
	if o.Insert == nil || !o.Convert && !o.Array && !o.Annotate && o.Edit == nil && o.Shards == nil &&
		!o.Packed.Output && o.Checkpoints == nil && o.Format.frame() == (frame{}) {
		return nil
	}
	return errInsert
}

// insertBefore writes what stands before record i of the batch.
func (c *committer) insertBefore(b *batch, i int, d Decision) error {
	if c.opts.Insert == nil || d.Fate == Aside || b.piece > FirstPiece {
		return nil
	}
	var record []byte
	if r := &b.records[i]; d.Problem.kind != tooLong {
		record = b.buf[r.start:r.body]
		if b.atStart && r.start == 0 {
			record = withoutMark(record)
		}
	}
	return c.insert(c.opts.Insert.Before(c.inserted[:0], record))
}

// insertDue writes what the clock says is due, and hands it over.
func (c *committer) insertDue() error {
	if err := c.insert(c.opts.Insert.Due(c.inserted[:0])); err != nil {
		return err
	}
	return c.flush()
}

// insertEnd writes what stands after the last record, unless nothing may leave.
func (c *committer) insertEnd() error {
	if c.opts.Insert == nil || c.gate.closed {
		return nil
	}
	return c.insert(c.opts.Insert.End(c.inserted[:0]))
}

func (c *committer) insert(records []byte) error {
	c.inserted = keep(records)
	return c.kept.write(records)
}

// ticks is when the inserter is asked what is due.
func (c *committer) ticks() <-chan time.Time {
	if c.opts.Insert == nil {
		return nil
	}
	return c.opts.Insert.Ticks()
}
