package arrow

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// A ParquetSink writes rows of Parquet as Arrow, with the columns and the metadata of the first
// file. docs/arrow.md says which types they get.
type ParquetSink struct {
	table *parquet.Table
	parts [3]*parquetPart // kept, removed, and those that cannot be read; nil where there is no output
	limit limits
}

// A parquetPart is one of the outputs.
type parquetPart struct {
	Output
	w       *Writer // nil until the first row comes
	walker  *parquet.Walker
	targets []*target
}

// NewParquetSink is for the kept rows, the removed ones, and those that cannot be read, of files
// with texts of up to maxRecord bytes.
func NewParquetSink(t *parquet.Table, maxRecord int, kept, duplicates, rejects Output) *ParquetSink {
	s := &ParquetSink{table: t, limit: newLimits(maxRecord)}
	for i, out := range []Output{kept, duplicates, rejects} {
		if out.Out != nil {
			s.parts[i] = &parquetPart{Output: out}
		}
	}
	return s
}

// Take notes what becomes of a row.
func (s *ParquetSink) Take(d *stream.Decided) error {
	rows, fate := d.Tag.(*parquet.Rows), d.Fate
	var err error
	if fate.GoesOn() {
		err = s.parts[0].take(s, rows, d.Number)
	}
	switch fate {
	case stream.Duplicate:
		err = errors.Join(err, s.parts[1].take(s, rows, d.Number))
	case stream.Tolerated, stream.Diverted:
		err = errors.Join(err, s.parts[2].take(s, rows, d.Number))
	}
	if d.Number == rows.Len()-1 {
		s.table.Done(rows)
	}
	return err
}

// Next ends the output of kept rows, and begins another one.
func (s *ParquetSink) Next(out Output) error {
	p := s.parts[0]
	if err := p.close(s); err != nil {
		return err
	}
	p.Output, p.w = out, nil
	return nil
}

// Flush has nothing to do: rows leave in batches.
func (s *ParquetSink) Flush() error { return nil }

// Close ends the outputs. It is not for a run that has failed.
func (s *ParquetSink) Close() error {
	var errs []error
	for _, p := range s.parts {
		errs = append(errs, p.close(s))
	}
	return errors.Join(errs...)
}

func (p *parquetPart) close(s *ParquetSink) error {
	if p == nil {
		return nil
	}
	if err := p.open(s); err != nil {
		return err
	}
	return p.w.Close()
}

func (p *parquetPart) open(s *ParquetSink) error {
	if p.w != nil {
		return nil
	}
	like := s.table.First()
	if like == nil {
		return errNoSchema
	}
	form := Stream
	if p.Form != nil {
		form = *p.Form
	}
	var err error
	if p.w, err = newWriter(p.Out, schemaOf(like), form, s.limit, nil); err != nil {
		return err
	}
	p.walker, p.targets = parquet.NewWalker(like.Schema()), nil
	for i, t := range like.Schema().Types() {
		p.targets = append(p.targets, newTarget(p.w.columns[i], t))
	}
	return nil
}

func (p *parquetPart) take(s *ParquetSink, rows *parquet.Rows, i int) (err error) {
	defer recovered(&err)
	if p == nil {
		return nil
	}
	if err := p.open(s); err != nil {
		return err
	}
	p.walker.Walk(rows, i, func(column int) parquet.Target { return p.targets[column] })
	p.w.rows++
	return p.w.flushFull()
}
