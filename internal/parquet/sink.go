package parquet

import "github.com/mithril-stream/mithril-stream/internal/columnar"

// NewSink returns a sink that writes rows to the outputs. A file has the union of the schemas of
// all inputs, and the metadata of the first one, or those of the input that the output belongs to.
func (t *Table) NewSink(form Form, o columnar.Outputs) *columnar.Sink[*Rows] {
	return columnar.NewSink(o, func(out columnar.Output) (columnar.Writer[*Rows], error) {
		like, err := t.Like(out.Input)
		if err != nil {
			return nil, err
		}
		return AsUnion(NewWriter(out.To, like.withoutColumns(), form), like), nil
	}, t.Done)
}
