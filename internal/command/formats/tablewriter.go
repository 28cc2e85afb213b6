package formats

import (
	"bufio"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// A tableWriter turns records, which are JSON objects, into rows of an output.
type tableWriter struct {
	of   *Tables
	to   columnar.Output
	rows tableRows // nil until the first record, since the columns may not be known before
}

// tableRows writes the rows of a table.
type tableRows interface {
	add(row [][]byte) error
	flush() error // passes on what is not part of a larger unit, such as a row group
	close() error
}

// add writes a record.
func (w *tableWriter) add(line []byte) error {
	if err := w.begin(); err != nil {
		return err
	}
	return w.rows.add(w.of.columns.Row(line))
}

// flush passes on the rows so far, if the format allows that.
func (w *tableWriter) flush() error {
	if w.rows == nil {
		return nil
	}
	return w.rows.flush()
}

// Next ends the table and begins another one with the same columns.
func (w *tableWriter) Next(out io.Writer, path string) error {
	err := w.close()
	w.to, w.rows = columnar.Output{To: out, Path: path}, nil
	return err
}

// close ends the table, which has columns even if it has no rows.
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

// textRows writes rows as text.
type textRows struct {
	out    *bufio.Writer
	append func(dst []byte, row [][]byte) []byte
	text   []byte // scratch
}

// newTextRows begins rows below a head. append appends a row, including its end.
func newTextRows(
	to columnar.Output, head []byte, append func(dst []byte, row [][]byte) []byte,
) (tableRows, error) {
	w := &textRows{out: bufio.NewWriterSize(to.To, 64<<10), append: append}
	_, err := w.out.Write(head)
	return w, err
}

func (w *textRows) add(row [][]byte) error {
	w.text = w.append(w.text[:0], row)
	_, err := w.out.Write(w.text)
	return err
}

func (w *textRows) flush() error { return w.out.Flush() }
func (w *textRows) close() error { return w.out.Flush() }

// newCSVRows begins the rows of a CSV file.
func newCSVRows(to columnar.Output, list []columns.Column, _ Form) (tableRows, error) {
	var scratch []byte
	return newTextRows(to, columns.AppendHeader(nil, list), func(dst []byte, row [][]byte) []byte {
		return columns.AppendRow(&scratch, dst, list, row)
	})
}
