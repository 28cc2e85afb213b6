package stream

import (
	"errors"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// An Inserter writes records of its own to the output, between those that are kept. The goroutine
// that decides calls its functions. What they append to dst are whole records, with what ends them.
type Inserter struct {
	// Before appends what stands before a record that was judged, which is told without what ends
	// it, and not at all if it is too long. It is called once for each, in the order in which they
	// were judged.
	Before func(dst, record []byte) []byte
	// Ticks says when to call Due although no record arrives; nil means never.
	Ticks func() <-chan time.Time
	// Due appends what is due now. It is called after all judged records were observed.
	Due func(dst []byte) []byte
	// End appends what follows the last record.
	End func(dst []byte) []byte
}

var errInsert = errors.New("stream options: Insert writes records as they are in the input: leave Convert, " +
	"Array, Annotate, Edit, Shards, Packed and Checkpoints out")

// checkInsert refuses options that exclude an Inserter.
func (o Options) checkInsert() error {
	if o.Insert == nil || !o.Convert && !o.Array && !o.Annotate && o.Edit == nil && o.Shards == nil &&
		!o.Packed.Output && o.Checkpoints == nil && o.Format.Frame() == (record.Frame{}) {
		return nil
	}
	return errInsert
}

// An insert is the link that writes records of an Inserter before those that pass. It also acts by
// the clock, and when a run ends before its input does. A nil *insert does nothing by the clock.
type insert struct {
	passive
	of      *Inserter
	out     *output
	gate    *gate
	records []byte
}

func newInsert(p plan) link {
	if p.Insert == nil {
		return nil
	}
	return &insert{of: p.Insert, out: p.out, gate: p.gate}
}

func (n *insert) process(r *passing) error {
	if !r.decision.Fate.isJudged() || !r.isFirst() {
		return nil
	}
	var body []byte
	if r.decision.Problem.Kind() != record.KindTooLong {
		of := &r.batch.records[r.index]
		body = r.batch.buf[of.start:of.body]
		if r.batch.atStart && of.start == 0 {
			body = record.TrimBOM(body)
		}
	}
	return n.write(n.of.Before(n.records[:0], body))
}

// ticks says when to call due although no record arrives; nil means never.
func (n *insert) ticks() <-chan time.Time {
	if n == nil {
		return nil
	}
	return n.of.Ticks()
}

// due writes what is due by the clock.
func (n *insert) due() error { return n.write(n.of.Due(n.records[:0])) }

// stop writes what follows the last record, unless nothing may be written. It is called after the
// last record, also if the run was stopped.
func (n *insert) stop() error {
	if n == nil || n.gate.closed {
		return nil
	}
	return n.write(n.of.End(n.records[:0]))
}

func (n *insert) write(records []byte) error {
	n.records = record.KeepScratch(records)
	return n.out.write(records)
}
