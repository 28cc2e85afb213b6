package stream

import (
	"errors"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// An Inserter writes records of its own to the output, between the kept ones. The goroutine that
// decides calls its functions. Each appends whole records, including their terminators, to dst.
type Inserter struct {
	// Before appends what precedes a judged record. record has no terminator, and is nil if the
	// record is too long. Before is called once per judged record, in order.
	Before func(dst, record []byte) []byte
	// Ticks says when to call Due while no records arrive. nil means never.
	Ticks func() <-chan time.Time
	// Due appends what is due now. It is called after all judged records have been observed.
	Due func(dst []byte) []byte
	// End appends what follows the last record.
	End func(dst []byte) []byte
}

var errInsert = errors.New("stream options: Insert writes records as they are in the input: leave Convert, " +
	"Array, Annotate, Edit, Shards, Packed and Checkpoints out")

// checkInsert refuses options that cannot be combined with an Inserter.
func (o Options) checkInsert() error {
	if o.Insert == nil || !o.Convert && !o.Array && !o.Annotate && o.Edit == nil && o.Shards == nil &&
		!o.Packed.Output && o.Checkpoints == nil && o.Format.Frame() == (record.Frame{}) {
		return nil
	}
	return errInsert
}

// An insert is the link that writes the records of an Inserter before those that pass. It also
// writes records that become due as time passes, and when a run ends before its input does. A nil
// *insert does neither.
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

// ticks says when to call due while no records arrive. nil means never.
func (n *insert) ticks() <-chan time.Time {
	if n == nil {
		return nil
	}
	return n.of.Ticks()
}

// due writes the records that are due now.
func (n *insert) due() error { return n.write(n.of.Due(n.records[:0])) }

// stop writes what follows the last record, unless nothing may be written. It is called after the
// last record, even if the run was stopped.
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
