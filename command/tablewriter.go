package command

import (
	"bufio"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// A tableWriter makes records, which are JSON objects, rows of an output.
type tableWriter struct {
	of   *columned
	out  io.Writer
	path string // of out
	rows rows   // nil until the first record comes, since the columns may not be known before
}

// rows are how a table is written.
type rows interface {
	add(row [][]byte) error
	flush() error // hands on what is no part of a larger whole, such as a row group
	close() error
}

// add writes a record.
func (w *tableWriter) add(line []byte) error {
	if err := w.begin(); err != nil {
		return err
	}
	return w.rows.add(w.of.table.Row(line))
}

// flush hands on the rows so far, where the format allows it.
func (w *tableWriter) flush() error {
	if w.rows == nil {
		return nil
	}
	return w.rows.flush()
}

// Next ends the table, and begins another one, with the same columns.
func (w *tableWriter) Next(out io.Writer, path string) error {
	err := w.close()
	w.out, w.path, w.rows = out, path, nil
	return err
}

// close ends the table, which has columns even if it has no row.
func (w *tableWriter) close() error {
	if err := w.begin(); err != nil {
		return err
	}
	return w.rows.close()
}

func (w *tableWriter) begin() (err error) {
	if w.rows != nil {
		return nil
	}
	list := w.of.table.Columns(w.of.fields...)
	if w.of.to == "csv" {
		w.rows, err = newCSVRows(w.out, list)
	} else {
		w.rows, err = newTypedRows(w.of.to, w.path, w.out, list, w.of.form)
	}
	return err
}

// csvRows are those of CSV.
type csvRows struct {
	columns []columns.Column
	out     *bufio.Writer
	row     []byte
}

func newCSVRows(out io.Writer, list []columns.Column) (*csvRows, error) {
	w := &csvRows{columns: list, out: bufio.NewWriterSize(out, 64<<10)}
	_, err := w.out.Write(columns.AppendHeader(nil, list))
	return w, err
}

func (w *csvRows) add(row [][]byte) error {
	w.row = columns.AppendRow(w.row[:0], w.columns, row)
	_, err := w.out.Write(w.row)
	return err
}

func (w *csvRows) flush() error { return w.out.Flush() }
func (w *csvRows) close() error { return w.out.Flush() }
