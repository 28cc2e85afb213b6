package formats

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// Results is a table of what a command has found out about records, with a row for each finding.
type Results struct{ rows tableRows }

// NewResults begins a table in the given format. schema names its columns, written as for --schema.
func NewResults(to io.Writer, format, schema string) (*Results, error) {
	list, err := columns.ParseSchema(schema)
	if err != nil {
		return nil, err
	}
	f := of(format)
	begin := f.results
	if begin == nil {
		begin = f.table
	}
	r := &Results{}
	r.rows, err = begin(columnar.Output{To: to, Path: ""}, list, Form{})
	return r, err
}

// Add writes a row: a JSON value for each column, empty for null.
func (r *Results) Add(row [][]byte) error { return r.rows.add(row) }

// Flush passes on the rows so far, if the format allows that.
func (r *Results) Flush() error { return r.rows.flush() }

// Close ends the table.
func (r *Results) Close() error { return r.rows.close() }

// newObjectRows writes rows as JSON objects, one per line.
func newObjectRows(to columnar.Output, list []columns.Column, _ Form) (tableRows, error) {
	var names [][]byte // as they precede values
	for i, c := range list {
		before := ","
		if i == 0 {
			before = "{"
		}
		names = append(names, fmt.Appendf(nil, "%s%q:", before, c.Name))
	}
	return newTextRows(to, nil, func(dst []byte, row [][]byte) []byte {
		for i, value := range row {
			if len(value) == 0 {
				value = []byte("null")
			}
			dst = append(append(dst, names[i]...), value...)
		}
		return append(dst, "}\n"...)
	})
}

// newTSVRows writes rows as fields separated by tabs, below a header. A tab, newline, carriage
// return or backslash in a field is written as \t, \n, \r or \\.
func newTSVRows(to columnar.Output, list []columns.Column, _ Form) (tableRows, error) {
	field := func(dst []byte, i int, text []byte) []byte {
		if bytes.ContainsAny(text, "\\\t\n\r") {
			text = []byte(tsvEscapes.Replace(string(text)))
		}
		if dst = append(dst, text...); i == len(list)-1 {
			return append(dst, '\n')
		}
		return append(dst, '\t')
	}
	var head, scratch []byte
	for i, c := range list {
		head = field(head, i, []byte(c.Name))
	}
	return newTextRows(to, head, func(dst []byte, row [][]byte) []byte {
		for i, value := range row {
			var text []byte
			if !columns.IsNull(value) {
				text = list[i].Text(&scratch, value)
			}
			dst = field(dst, i, text)
		}
		return dst
	})
}

var tsvEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
