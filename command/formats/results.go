package formats

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/stream/columnar"
	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// Results are what a command has found out about records, as a table: a row for each finding.
type Results struct{ rows tableRows }

// tsvName is the format of results that is no format of records that are made.
const tsvName = "tsv"

// ResultFormats are the formats of results.
func ResultFormats() []string { return []string{tsvName, "jsonl", "csv", "parquet", "arrow"} }

// ResultFormat is the format of the results in a file: what was asked for, or what its name says,
// or else another one.
func ResultFormat(path, asked, otherwise string) (string, error) {
	named := ByPath(path)
	switch {
	case asked == "" && named == "" || asked == "" && path == "-":
		return otherwise, nil
	case asked != "":
		named = asked
	}
	if formats := ResultFormats(); !slices.Contains(formats, named) {
		return "", fmt.Errorf("results are not written as %s: use one of %s", named, strings.Join(formats, ", "))
	}
	if IsColumnar(named) {
		return named, CheckNotCompressed(named, compress.Method{}, path)
	}
	return named, nil
}

// NewResults begins a table in that format. schema names its columns, written as for --schema.
func NewResults(to io.Writer, format, schema string) (*Results, error) {
	list, err := columns.ParseSchema(schema)
	if err != nil {
		return nil, err
	}
	begin := of(format).table
	switch format {
	case tsvName:
		begin = newTSVRows
	case "jsonl":
		begin = newObjectRows
	}
	r := &Results{}
	r.rows, err = begin(columnar.Output{To: to, Path: ""}, list, Form{})
	return r, err
}

// Add writes a row: a value of JSON for each column, empty for null.
func (r *Results) Add(row [][]byte) error { return r.rows.add(row) }

// Flush hands on the rows so far, where the format allows it.
func (r *Results) Flush() error { return r.rows.flush() }

// Close ends the table.
func (r *Results) Close() error { return r.rows.close() }

// objectRows are rows as JSON objects, one a line.
type objectRows struct {
	names [][]byte // as they stand before values
	out   *bufio.Writer
}

func newObjectRows(to columnar.Output, list []columns.Column, _ Form) (tableRows, error) {
	w := &objectRows{out: bufio.NewWriterSize(to.To, 64<<10)}
	for i, c := range list {
		before := ","
		if i == 0 {
			before = "{"
		}
		w.names = append(w.names, fmt.Appendf(nil, "%s%q:", before, c.Name))
	}
	return w, nil
}

func (w *objectRows) add(row [][]byte) error {
	for i, value := range row {
		w.out.Write(w.names[i]) // its error stays
		if len(value) == 0 {
			value = []byte("null")
		}
		w.out.Write(value)
	}
	_, err := w.out.WriteString("}\n")
	return err
}

func (w *objectRows) flush() error { return w.out.Flush() }
func (w *objectRows) close() error { return w.out.Flush() }

// tsvRows are rows of fields with tabs between them, below a header. A tab, a line end and a
// backslash in a field are written as \t, \n, \r and \\.
type tsvRows struct {
	columns []columns.Column
	out     *bufio.Writer
	text    []byte // scratch
}

func newTSVRows(to columnar.Output, list []columns.Column, _ Form) (tableRows, error) {
	w := &tsvRows{columns: list, out: bufio.NewWriterSize(to.To, 64<<10)}
	for i, c := range list {
		w.write(i, []byte(c.Name))
	}
	return w, nil
}

var tsvEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func (w *tsvRows) add(row [][]byte) (err error) {
	for i, value := range row {
		var text []byte
		if !columns.IsNull(value) {
			text = w.columns[i].Text(&w.text, value)
		}
		err = w.write(i, text)
	}
	return err
}

// write writes field i, and what ends it.
func (w *tsvRows) write(i int, text []byte) error {
	if bytes.ContainsAny(text, "\\\t\n\r") {
		text = []byte(tsvEscapes.Replace(string(text)))
	}
	w.out.Write(text) // its error stays
	if i == len(w.columns)-1 {
		return w.out.WriteByte('\n')
	}
	return w.out.WriteByte('\t')
}

func (w *tsvRows) flush() error { return w.out.Flush() }
func (w *tsvRows) close() error { return w.out.Flush() }
