package formats

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// This is a format of rows as it would stand in a folder below stream/: a first line names the
// columns, TOY|id|text, and each line below it is a row. What follows it is its row of the table.

// toyLayout is what the command line knows of it, and toyFormat its row.
var (
	toyLayout = layout.Format{
		Name: "toy", Endings: []string{".toy"}, Article: "a", Begins: [][]string{{"TOY|", "a toy file"}},
		Is: layout.Rows | layout.Table,
	}
	toyFormat = Format{cut: cutColumns, read: readColumns, rows: newToyTable, table: typed(newToyBuilder)}
)

// withToys adds the format to the tables, until the function that it returns is called.
func withToys() (without func()) {
	remove := layout.Add(toyLayout)
	all["toy"] = toyFormat
	return func() {
		delete(all, "toy")
		remove()
	}
}

func newToyTable(of columnar.RowNeeds) RowTable {
	return toyTable{&columnar.Table[*toyHead]{RowNeeds: of}}
}

func newToyBuilder(to columnar.Output, list []columns.Column, _ Form) (columnar.Builder, error) {
	h := &toyHead{}
	for _, c := range list {
		h.columns = append(h.columns, c.Name)
	}
	return &toyBuilder{w: newToyWriter(to, h)}, nil
}

// A toyHead is the schema of an input.
type toyHead struct{ columns []string }

func (h *toyHead) Difference(other *toyHead) string {
	if a, b := strings.Join(h.columns, ", "), strings.Join(other.columns, ", "); a != b {
		return fmt.Sprintf("its columns are %s, not %s", b, a)
	}
	return ""
}

func (h *toyHead) Union(other *toyHead) (*toyHead, error) {
	if d := h.Difference(other); d != "" {
		return nil, errors.New(d)
	}
	return h, nil
}

func (h *toyHead) CheckJSON() error         { return nil }
func (h *toyHead) Units() map[string]string { return nil }
func (h *toyHead) Features() string         { return "" }
func (h *toyHead) Columns() []string        { return h.columns }

// toyRows are rows that were read together.
type toyRows [][]string

func (r *toyRows) Len() int { return len(*r) }

type toyTable struct{ *columnar.Table[*toyHead] }

func (t toyTable) Open(name, path string, std files.Streams) (stream.RecordReader, error) {
	in, err := std.OpenInput(path)
	if err != nil {
		return nil, err
	}
	r := &toyReader{in: in, lines: bufio.NewScanner(in)}
	if !r.lines.Scan() || !strings.HasPrefix(r.lines.Text(), "TOY|") {
		return nil, fmt.Errorf("%s is no toy", name)
	}
	r.head = &toyHead{strings.Split(r.lines.Text(), "|")[1:]}
	r.Texts, err = columnar.Join(t.Table, name, r.head, columnar.Input[*toyRows](r))
	return r, err
}

func (t toyTable) Expect(string, string, files.Streams) error { return nil }

func (t toyTable) Sink(_ string, _ Form, o columnar.Outputs) RowSink {
	return columnar.NewSink(o, func(out columnar.Output) (columnar.Writer[*toyRows], error) {
		like, err := t.Like(out.Input)
		if err != nil {
			return nil, err
		}
		return newToyWriter(out, like), nil
	}, func(*toyRows) {})
}

// A toyReader hands over the rows of an input, two at a time.
type toyReader struct {
	columnar.Texts[*toyRows]
	head  *toyHead
	in    io.Closer
	lines *bufio.Scanner
}

// A toyField is the number of a column.
type toyField int

func (r *toyReader) FindWhole(path record.Field) (columnar.Field[*toyRows], error) {
	return r.Find(path, columnar.AsText)
}

func (r *toyReader) Find(path record.Field, _ columnar.Use) (columnar.Field[*toyRows], error) {
	for i, name := range r.head.columns {
		if name == path.String() {
			return toyField(i), nil
		}
	}
	return nil, fmt.Errorf("it has no column %q", path)
}

func (r *toyReader) AppendJSON(dst []byte, rows *toyRows, i int) []byte {
	for c, value := range (*rows)[i] {
		dst = append(dst, "{,"[min(c, 1)])
		dst = append(jsontext.AppendQuoted(dst, []byte(r.head.columns[c])), ':')
		dst = jsontext.AppendQuoted(dst, []byte(value))
	}
	return append(dst, "}\n"...)
}

func (f toyField) AppendText(dst []byte, rows *toyRows, i, _ int) (text []byte, isThere bool) {
	return append(dst, (*rows)[i][f]...), true
}

func (f toyField) InLists() bool { return false }

func (f toyField) AppendValue(dst []byte, rows *toyRows, i, _ int) []byte {
	return jsontext.AppendQuoted(dst, []byte((*rows)[i][f]))
}

func (r *toyReader) ReadRecords(_ context.Context, to *stream.Records) error {
	rows := &toyRows{}
	for len(*rows) < 2 && r.lines.Scan() {
		*rows = append(*rows, strings.Split(r.lines.Text(), "|"))
		r.Append(to, rows, len(*rows)-1)
	}
	if len(*rows) == 0 {
		return io.EOF
	}
	if !r.AsJSON() {
		to.Tag = rows
	}
	return nil
}

func (r *toyReader) Skip(stream.Position) error { return nil }
func (r *toyReader) Close() error               { return r.in.Close() }

// A toyWriter writes rows.
type toyWriter struct{ out *bufio.Writer }

func newToyWriter(to columnar.Output, like *toyHead) toyWriter {
	w := toyWriter{bufio.NewWriter(to.To)}
	w.line("TOY", like.columns)
	return w
}

func (w toyWriter) line(first string, values []string) {
	fmt.Fprintln(w.out, strings.TrimPrefix(strings.Join(append([]string{first}, values...), "|"), "|"))
}

func (w toyWriter) Write(rows *toyRows, from, to int) error {
	for _, row := range (*rows)[from:to] {
		w.line("", row)
	}
	return nil
}

func (w toyWriter) Close() error { return w.out.Flush() }

// A toyBuilder writes rows of values.
type toyBuilder struct {
	w   toyWriter
	row []string
}

func (b *toyBuilder) Null()            { b.row = append(b.row, "") }
func (b *toyBuilder) Bool(v bool)      { b.row = append(b.row, strconv.FormatBool(v)) }
func (b *toyBuilder) Int64(v int64)    { b.row = append(b.row, strconv.FormatInt(v, 10)) }
func (b *toyBuilder) Double(v float64) { b.row = append(b.row, strconv.FormatFloat(v, 'g', -1, 64)) }
func (b *toyBuilder) Bytes(v []byte)   { b.row = append(b.row, string(v)) }

func (b *toyBuilder) EndRow() error {
	b.w.line("", b.row)
	b.row = nil
	return nil
}

func (b *toyBuilder) Close() error { return b.w.Close() }
