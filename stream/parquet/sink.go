package parquet

import "github.com/mithril-stream/mithril-stream/stream/columnar"

// NewSink writes rows where they belong, into files with the schema and the metadata of the first
// input.
func (t *Table) NewSink(form Form, o columnar.Outputs) *columnar.Sink[*Rows] {
	return columnar.NewSink(o, func(out columnar.Output) (columnar.Writer[*Rows], error) {
		like, err := t.First()
		if err != nil {
			return nil, err
		}
		return NewWriter(out.To, like, form), nil
	}, t.Done)
}
