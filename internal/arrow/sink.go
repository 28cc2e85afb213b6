package arrow

import (
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// NewSink returns a sink that writes rows to the outputs, with the schema, the metadata and the
// compression of the first input. The form follows from the name of an output; by default it is the
// form of the first input.
func (t *Table) NewSink(o columnar.Outputs) *columnar.Sink[*rows] {
	return columnar.NewSink(o, func(out columnar.Output) (columnar.Writer[*rows], error) {
		like, err := t.Like(out.Input)
		if err != nil {
			return nil, err
		}
		w, err := NewWriter(out.To, like, FormByName(out.Path, like.Form()))
		return asUnion(rowWriter{w}, like), err
	}, func(*rows) {})
}

// FormByName returns the form that a file name implies, or other if it implies none.
func FormByName(path string, other Form) Form {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".arrows":
		return Stream
	case ".feather":
		return File
	}
	return other
}

// A rowWriter writes rows as they were read.
type rowWriter struct{ *Writer }

// Write writes rows [from, to).
func (w rowWriter) Write(r *rows, from, to int) error {
	return w.Writer.Write(r.batch, r.from+from, r.from+to)
}

// NewParquetSink returns a sink that writes rows of Parquet as Arrow, with the columns and the
// metadata of the first file. docs/reference/arrow.md lists the types. The form follows from the
// name of an output; the default is a stream.
func NewParquetSink(t *parquet.Table, o columnar.Outputs) *columnar.Sink[*parquet.Rows] {
	return columnar.NewSink(o, func(out columnar.Output) (w columnar.Writer[*parquet.Rows], err error) {
		defer recovered(&err)
		like, err := t.Like(out.Input)
		if err != nil {
			return nil, err
		}
		p := &parquetWalker{walker: parquet.NewWalker(like.Schema())}
		form := FormByName(out.Path, Stream)
		if p.Writer, err = newWriter(out.To, schemaOf(like), form, newLimits(t.MaxRecord), nil); err != nil {
			return nil, err
		}
		for i, t := range like.Schema().Types() {
			p.targets = append(p.targets, newTarget(p.columns[i], t))
		}
		return parquet.AsUnion(p, like), nil
	}, t.Done)
}

// A parquetWalker writes rows of Parquet.
type parquetWalker struct {
	*Writer
	walker  *parquet.Walker
	targets []*target
}

// Write writes rows [from, to).
func (p *parquetWalker) Write(rows *parquet.Rows, from, to int) (err error) {
	defer recovered(&err)
	for i := from; i < to; i++ {
		p.walker.Walk(rows, i, func(column int) parquet.Target { return p.targets[column] })
		p.rows++
		if err := p.flushFull(); err != nil {
			return err
		}
	}
	return nil
}
