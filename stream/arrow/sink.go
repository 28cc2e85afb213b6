package arrow

import (
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Sink writes rows where they belong. Each output that is not nil gets the schema, the metadata
// and the compression of the first input.
type Sink struct {
	table                     *Table
	kept, duplicates, rejects *part
}

// An Output is where rows go, as a stream or a file. Without a writer they go nowhere.
type Output struct {
	Out  io.Writer
	Form *Form // nil for that of the first input
}

// NewSink is for the kept rows, the removed ones, and those that cannot be read.
func (t *Table) NewSink(kept, duplicates, rejects Output) *Sink {
	return &Sink{t, newPart(kept), newPart(duplicates), newPart(rejects)}
}

// Next ends the output of kept rows, and begins another one, whose rows are those that are taken
// from now on.
func (s *Sink) Next(out Output) error {
	p := s.kept
	if err := p.hand(s.table); err != nil {
		return err
	}
	if err := p.close(s.table); err != nil {
		return err
	}
	p.out, p.w = out, nil
	return nil
}

// A part is one of the outputs. A nil *part swallows what it is given.
type part struct {
	out  Output
	w    *Writer // nil until the first row comes
	rows rows    // that are not handed to w yet
}

func newPart(out Output) *part {
	if out.Out == nil {
		return nil
	}
	return &part{out: out}
}

// Take notes what becomes of a row.
func (s *Sink) Take(d *stream.Decided) error {
	rows, fate := d.Tag.(*rows), d.Fate
	i := rows.from + d.Number
	var err error
	if fate.GoesOn() {
		err = s.kept.take(s.table, rows.batch, i)
	}
	switch fate {
	case stream.Duplicate:
		err = errors.Join(err, s.duplicates.take(s.table, rows.batch, i))
	case stream.Tolerated, stream.Diverted:
		err = errors.Join(err, s.rejects.take(s.table, rows.batch, i))
	}
	if i < rows.to-1 {
		return err
	}
	for _, p := range s.parts() {
		err = errors.Join(err, p.hand(s.table))
	}
	return err
}

func (s *Sink) parts() []*part { return []*part{s.kept, s.duplicates, s.rejects} }

// Flush has nothing to do: rows leave in batches.
func (s *Sink) Flush() error { return nil }

// Close ends the outputs. It is not for a run that has failed: without their ends they do not pass
// for complete.
func (s *Sink) Close() error {
	var errs []error
	for _, p := range s.parts() {
		errs = append(errs, p.close(s.table))
	}
	return errors.Join(errs...)
}

// close ends the output, which has a schema even if it has no row.
func (p *part) close(t *Table) error {
	if p == nil {
		return nil
	}
	if err := p.open(t); err != nil {
		return err
	}
	return p.w.Close()
}

// take adds row i; neighbouring rows are handed on together.
func (p *part) take(t *Table, b *Batch, i int) error {
	if p == nil {
		return nil
	}
	if p.rows.batch == b && i == p.rows.to {
		p.rows.to++
		return nil
	}
	err := p.hand(t)
	p.rows = rows{b, i, i + 1}
	return err
}

// hand writes the rows that wait, before their batch goes.
func (p *part) hand(t *Table) error {
	if p == nil || p.rows.batch == nil {
		return nil
	}
	waiting := p.rows
	p.rows = rows{}
	if err := p.open(t); err != nil {
		return err
	}
	return p.w.Write(waiting.batch, waiting.from, waiting.to)
}

func (p *part) open(t *Table) error {
	if p.w != nil {
		return nil
	}
	like := t.like()
	if like == nil {
		return errNoSchema
	}
	form := like.Form()
	if p.out.Form != nil {
		form = *p.out.Form
	}
	var err error
	p.w, err = NewWriter(p.out.Out, like, form)
	return err
}
