package arrow

import (
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/stream/columnar"
)

// NewSink writes rows where they belong, with the schema, the metadata and the compression of the
// first input. The name of an output says its form, or else it has the form of the first input.
func (t *Table) NewSink(o columnar.Outputs) *columnar.Sink[*rows] {
	return columnar.NewSink(o, func(out columnar.Output) (columnar.Writer[*rows], error) {
		like, err := t.First()
		if err != nil {
			return nil, err
		}
		w, err := NewWriter(out.To, like, FormByName(out.Path, like.Form()))
		return rowWriter{w}, err
	}, func(*rows) {})
}

// FormByName is the form that the name of an output says, or else another one.
func FormByName(path string, other Form) Form {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".arrows":
		return Stream
	case ".feather":
		return File
	}
	return other
}

// A rowWriter writes rows as they were handed over.
type rowWriter struct{ *Writer }

// Write writes some of the rows.
func (w rowWriter) Write(r *rows, from, to int) error {
	return w.Writer.Write(r.batch, r.from+from, r.from+to)
}
