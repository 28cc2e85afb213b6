package parquet

import (
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Sink writes rows where they belong. Each output that is not nil becomes a file with the schema
// and the metadata of the first input.
type Sink struct {
	table                     *Table
	kept, duplicates, rejects *part
}

// NewSink is for the kept rows, the removed ones, and those that cannot be read.
func (t *Table) NewSink(form Form, kept, duplicates, rejects io.Writer) *Sink {
	return &Sink{t, newPart(kept, form), newPart(duplicates, form), newPart(rejects, form)}
}

// Next ends the file of kept rows, and begins another one, whose rows are those that are taken from
// now on.
func (s *Sink) Next(w io.Writer) error {
	p := s.kept
	if err := p.hand(s.table, p.rows); err != nil {
		return err
	}
	if err := p.close(s.table); err != nil {
		return err
	}
	p.out, p.w = w, nil
	return nil
}

// A part is one of the outputs. A nil *part swallows what it is given.
type part struct {
	out      io.Writer
	form     Form
	w        *Writer // nil until the first row comes
	rows     *Rows   // the batch at hand
	from, to int     // of its rows, those that are not handed to w yet
}

func newPart(out io.Writer, form Form) *part {
	if out == nil {
		return nil
	}
	return &part{out: out, form: form}
}

// Take notes what becomes of a row.
func (s *Sink) Take(d *stream.Decided) error {
	rows, i, fate := d.Tag.(*Rows), d.Number, d.Fate
	var err error
	if fate.GoesOn() {
		err = s.kept.take(s.table, rows, i)
	}
	switch fate {
	case stream.Duplicate:
		err = errors.Join(err, s.duplicates.take(s.table, rows, i))
	case stream.Tolerated, stream.Diverted:
		err = errors.Join(err, s.rejects.take(s.table, rows, i))
	}
	if i < rows.Len()-1 {
		return err
	}
	for _, p := range s.parts() {
		err = errors.Join(err, p.hand(s.table, rows))
	}
	s.table.put(rows)
	return err
}

func (s *Sink) parts() []*part { return []*part{s.kept, s.duplicates, s.rejects} }

// Flush has nothing to do: rows leave in row groups.
func (s *Sink) Flush() error { return nil }

// Close ends the files. It is not for a run that has failed: without their ends the files do not
// pass for complete.
func (s *Sink) Close() error {
	var errs []error
	for _, p := range s.parts() {
		errs = append(errs, p.close(s.table))
	}
	return errors.Join(errs...)
}

// close ends the file, which has a schema even if it has no row.
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
func (p *part) take(t *Table, rows *Rows, i int) error {
	if p == nil {
		return nil
	}
	if i == p.to && p.from < p.to {
		p.to++
		return nil
	}
	err := p.hand(t, rows)
	p.rows, p.from, p.to = rows, i, i+1
	return err
}

func (p *part) hand(t *Table, rows *Rows) error {
	if p == nil || p.from == p.to {
		return nil
	}
	from, to := p.from, p.to
	p.from, p.to = 0, 0
	if err := p.open(t); err != nil {
		return err
	}
	return p.w.Write(rows, from, to)
}

func (p *part) open(t *Table) error {
	if p.w != nil {
		return nil
	}
	like := t.like()
	if like == nil {
		return errNoSchema
	}
	p.w = NewWriter(p.out, like, p.form)
	return nil
}
