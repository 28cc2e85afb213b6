package parquet

import "github.com/mithril-stream/mithril-stream/internal/columnar"

// NewSink writes rows where they belong, into files with the union of the schemas of all inputs,
// and the metadata of the first one; or with those of the input whose output it is.
func (t *Table) NewSink(form Form, o columnar.Outputs) *columnar.Sink[*Rows] {
	return columnar.NewSink(o, func(out columnar.Output) (columnar.Writer[*Rows], error) {
		like, err := t.Like(out.Input)
		if err != nil {
			return nil, err
		}
		return AsUnion(NewWriter(out.To, like.withoutColumns(), form), like), nil
	}, t.Done)
}
