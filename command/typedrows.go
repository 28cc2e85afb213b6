package command

import (
	"fmt"
	"io"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/stream/arrow"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// typedRows are those of a table whose columns have types.
type typedRows struct {
	columns []columns.Column
	b       builder
}

// A builder takes the values of rows, in the order of the columns.
type builder interface {
	Null()
	Bool(bool)
	Int64(int64)
	Double(float64)
	Bytes([]byte)
	EndRow() error
	Close() error
}

// newTypedRows begins a table of a format. path is that of the output, whose name may say more.
func newTypedRows(format, path string, out io.Writer, list []columns.Column, form parquet.Form) (rows, error) {
	w := &typedRows{columns: list}
	var err error
	if format == "arrow" {
		typed := make([]arrow.Column, len(list))
		for i, column := range list {
			typed[i] = arrow.Column{Name: column.Name, Type: arrowTypes[column.Kind]}
		}
		w.b, err = arrow.NewBuilder(out, typed, arrow.FormByName(path, arrow.Stream))
		return w, err
	}
	typed := make([]parquet.Column, len(list))
	for i, column := range list {
		typed[i] = parquet.Column{Name: column.Name, Type: parquetTypes[column.Kind]}
	}
	w.b, err = parquet.NewBuilder(out, typed, form)
	return w, err
}

// parquetTypes are those of columns. One of nothing but null may be of any type.
var parquetTypes = map[columns.Kind]parquet.ColumnType{
	columns.Nothing: parquet.StringColumn, columns.Bool: parquet.BoolColumn, columns.Integer: parquet.Int64Column,
	columns.Number: parquet.DoubleColumn, columns.String: parquet.StringColumn, columns.JSON: parquet.JSONColumn,
}

// arrowTypes are the same. Arrow has no type of its own for JSON.
var arrowTypes = map[columns.Kind]arrow.ColumnType{
	columns.Nothing: arrow.StringColumn, columns.Bool: arrow.BoolColumn, columns.Integer: arrow.Int64Column,
	columns.Number: arrow.DoubleColumn, columns.String: arrow.StringColumn, columns.JSON: arrow.StringColumn,
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
			w.b.Bytes(c.Text(value))
		}
		if err != nil {
			return fmt.Errorf("internal error: column %q: %w", c.Name, err)
		}
	}
	return w.b.EndRow()
}

func (w *typedRows) flush() error { return nil }
func (w *typedRows) close() error { return w.b.Close() }
