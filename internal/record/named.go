package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// A View is a record as Parser.Value sees it.
type View struct {
	Body  []byte // as it came, or what a RecordReader has handed over as its text
	Buf   []byte // what Named refers to
	Named []Span // the values that a RecordReader has handed over
}

// CheckName reports why records of a format cannot have a value with that name, as Options.ID,
// Rank, Time or Within need. An empty name is valid.
func CheckName(f Format, name string) error {
	if name == "" || hasValues(f, name) {
		return nil
	}
	if framed, ok := f.(framed); ok && len(framed.named) > 0 {
		return fmt.Errorf("records have no %q: it must be one of %s", name, strings.Join(framed.named, ", "))
	}
	return fmt.Errorf("records have no %q: it must be one field of JSON records, or a column of rows", name)
}

// hasValues reports whether records of a format may have a value with that name.
func hasValues(f Format, name string) bool {
	switch f := f.(type) {
	case messages:
		return hasValues(f.Format, name)
	case confluent:
		return hasValues(f.Format, name)
	case listFormat:
		return hasValues(f.Format, name)
	case jsonLines, jsonArray:
		return leadsToOne(name)
	case *csvRows:
		return true
	case framed:
		return f.rows && leadsToOne(name) || slices.Contains(f.named, name)
	}
	return false
}

// leadsToOne reports whether a name is the path of a single value.
func leadsToOne(name string) bool {
	field, err := ParseField(name)
	return err == nil && !field.selectsSeveral() && !field.IsWhole()
}

// nameOf returns a JSON value if it can name a record: a string or a finite number.
func nameOf(value []byte) []byte {
	if len(value) > 0 && (value[0] == '"' || value[0] >= '0' && value[0] <= '9' ||
		value[0] == '-' && value[1] != 'I') { // neither NaN nor -Infinity
		return value
	}
	return nil
}

// namedFields are the fields of JSON records with these names. One that leads to several places, or
// nowhere, has no value.
func namedFields(names []string) []Field {
	fields := make([]Field, len(names))
	for i, name := range names {
		if leadsToOne(name) {
			fields[i], _ = ParseField(name)
		}
	}
	return fields
}

// namedColumns are the columns of rows with these names.
type namedColumns struct {
	format  *csvRows
	names   []string
	columns []int // noColumn where a table lacks the name
	cell    []byte
	value   []byte // scratch
}

// setTable finds the columns in a table.
func (n *namedColumns) setTable(t *Table) {
	n.columns = n.columns[:0]
	for _, name := range n.names {
		column := noColumn
		of := &csvRows{dialect: n.format.dialect, header: n.format.header, fields: []string{name}}
		if found, err := of.table(t.dialect, t.Names); err == nil {
			column = found.columns[0]
		}
		n.columns = append(n.columns, column)
	}
}

// in returns the value of a named column as a JSON string.
func (n *namedColumns) in(row []byte, spans []span, i int) []byte {
	if i >= len(n.columns) || n.columns[i] < 0 || n.columns[i] >= len(spans) {
		return nil
	}
	n.cell = spans[n.columns[i]].appendTo(n.cell[:0], row)
	n.value = jsontext.AppendQuoted(n.value[:0], n.cell)
	return n.value
}

func (n *namedColumns) release() { n.cell, n.value = KeepScratch(n.cell), KeepScratch(n.value) }

// providedParser is the parser of rows whose values a RecordReader hands over.
type providedParser struct{ textParser }

func (providedParser) Value(i int, of View) []byte {
	if i >= len(of.Named) {
		return nil
	}
	span := of.Named[i]
	return nameOf(of.Buf[span.Start:span.End])
}

// textValues finds the values of records whose texts workers take out. Its RecordText is not the
// one that takes out the text, which may be in that one's scratch memory.
type textValues struct {
	of    RecordText
	names []string
	value []byte // scratch
}

func (f framed) newTextValues(names []string) *textValues {
	v := &textValues{names: names}
	if len(names) > 0 {
		v.of = f.newText()
	}
	return v
}

// Value returns a named value of a record.
func (v *textValues) Value(i int, of View) []byte {
	v.value = v.of.AppendValue(v.value[:0], of.Body, v.names[i])
	return v.value
}
