package formats

import (
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// typedRows writes the rows of a table whose columns have types.
type typedRows struct {
	columns []columns.Column
	b       columnar.Builder
	text    []byte // scratch
}

// typed turns a function that builds tables of typed values into one that begins tables of JSON
// values.
func typed(build func(columnar.Output, []columns.Column, Form) (columnar.Builder, error)) newRows {
	return func(to columnar.Output, list []columns.Column, form Form) (tableRows, error) {
		b, err := build(to, list, form)
		return &typedRows{columns: list, b: b}, err
	}
}

func (w *typedRows) add(row [][]byte) error {
	for i, value := range row {
		c := w.columns[i]
		if columns.IsNull(value) {
			w.b.Null()
			continue
		}
		var err error
		switch c.Kind {
		case columns.Bool:
			w.b.Bool(value[0] == 't')
		case columns.Integer:
			var n int64
			n, err = strconv.ParseInt(string(value), 10, 64)
			w.b.Int64(n)
		case columns.Number:
			var x float64
			x, err = strconv.ParseFloat(string(value), 64)
			w.b.Double(x)
		default:
			w.b.Bytes(c.Text(&w.text, value))
		}
		if err != nil {
			return fmt.Errorf("internal error: column %q: %w", c.Name, err)
		}
	}
	return w.b.EndRow()
}

func (w *typedRows) flush() error { return nil }
func (w *typedRows) close() error { return w.b.Close() }
