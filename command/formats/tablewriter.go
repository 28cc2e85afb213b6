package formats

import (
	"bufio"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/stream/columnar"
)

// A tableWriter makes records, which are JSON objects, rows of an output.
type tableWriter struct {
	of   *Tables
	to   columnar.Output
	rows tableRows // nil until the first record comes, since the columns may not be known before
}

// tableRows are how a table is written.
type tableRows interface {
	add(row [][]byte) error
	flush() error // hands on what is no part of a larger whole, such as a row group
	close() error
}

// add writes a record.
func (w *tableWriter) add(line []byte) error {
	if err := w.begin(); err != nil {
		return err
	}
	return w.rows.add(w.of.columns.Row(line))
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
	w.to, w.rows = columnar.Output{To: out, Path: path}, nil
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
	if w.rows == nil {
		w.rows, err = w.of.format.table(w.to, w.of.columns.Columns(w.of.fields()...), w.of.form)
	}
	return err
}

// csvRows are the rows of a CSV file.
type csvRows struct {
	columns []columns.Column
	out     *bufio.Writer
	row     []byte
	text    []byte // scratch
}

func newCSVRows(to columnar.Output, list []columns.Column, _ Form) (tableRows, error) {
	w := &csvRows{columns: list, out: bufio.NewWriterSize(to.To, 64<<10)}
	_, err := w.out.Write(columns.AppendHeader(nil, list))
	return w, err
}

func (w *csvRows) add(row [][]byte) error {
	w.row = columns.AppendRow(&w.text, w.row[:0], w.columns, row)
	_, err := w.out.Write(w.row)
	return err
}

func (w *csvRows) flush() error { return w.out.Flush() }
func (w *csvRows) close() error { return w.out.Flush() }
