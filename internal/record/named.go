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
// Time or Within need. An empty name is valid.
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
		return f.rows && leadsToOne(name) || f.knows(name)
	}
	return false
}

// knows reports whether the values of a name, or of all its alternatives, are handed over.
func (f framed) knows(name string) bool {
	return !slices.ContainsFunc(Alternatives(name), func(one string) bool { return !slices.Contains(f.named, one) })
}

// leadsToOne reports whether a name is the path of a single value.
func leadsToOne(name string) bool {
	field, err := ParseField(name)
	return err == nil && !field.selectsSeveral() && !field.IsWhole()
}

// nameOf returns a JSON value if it tells records apart: a string, a finite number or a boolean.
func nameOf(value []byte) []byte {
	if len(value) > 0 && (value[0] == '"' || value[0] >= '0' && value[0] <= '9' ||
		value[0] == '-' && value[1] != 'I' || IsBoolean(value)) { // neither NaN nor -Infinity
		return value
	}
	return nil
}

// IsBoolean reports whether a value, as Parser.Value returns it, is true or false.
func IsBoolean(value []byte) bool { return len(value) > 0 && (value[0] == 't' || value[0] == 'f') }

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
	others  [][]int
	cell    []byte
	value   []byte // scratch
}

// setTable finds the columns in a table.
func (n *namedColumns) setTable(t *Table) {
	n.columns, n.others = n.columns[:0], n.others[:0]
	for _, name := range n.names {
		column, others := noColumn, []int(nil)
		of := &csvRows{dialect: n.format.dialect, header: n.format.header, fields: []string{name}}
		if found, err := of.table(t.dialect, t.Names); err == nil {
			column = found.columns[0]
			if found.others != nil {
				others = found.others[0]
			}
		}
		n.columns, n.others = append(n.columns, column), append(n.others, others)
	}
}

// in returns the value of a named column as a JSON string.
func (n *namedColumns) in(row []byte, spans []span, i int) []byte {
	if i >= len(n.columns) {
		return nil
	}
	column := firstFilled(n.columns[i], n.others[i], spans)
	if column < 0 || column >= len(spans) {
		return nil
	}
	n.cell = spans[column].appendTo(n.cell[:0], row)
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

// appendFirst appends the value of the first alternative of a field that has one.
func appendFirst(of RecordText, dst, record []byte, field string) []byte {
	if strings.IndexByte(field, '|') < 0 {
		return of.AppendValue(dst, record, field)
	}
	before := len(dst)
	for _, name := range Alternatives(field) {
		if dst = of.AppendValue(dst, record, name); len(dst) > before {
			break
		}
	}
	return dst
}

// Value returns a named value of a record.
func (v *textValues) Value(i int, of View) []byte {
	v.value = appendFirst(v.of, v.value[:0], of.Body, v.names[i])
	return v.value
}
