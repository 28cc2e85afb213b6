package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// An Extractor finds what names a record. It may own scratch memory: one for each worker.
type Extractor interface {
	// SetTable says what the head of the input has said, which the batch is of.
	SetTable(t *Table)
	// Append appends the name of a record to dst, as JSON, or nothing if it has none.
	Append(dst []byte, of View) []byte
}

// A View is a record as far as identifiers see it.
type View struct {
	Body  []byte // as it came, or what a RecordReader has handed over as its text
	Buf   []byte // what named speaks of
	Named []Span // the values that a RecordReader has handed over
}

// NewExtractor returns the identifier of a field of JSON records, or of a column of rows. It is
// nil if records of the format have neither, or the path of the field makes no sense. A Namer hands
// over the named fields.
func NewExtractor(f Format, name string, named []string) Extractor {
	switch f := f.(type) {
	case messages:
		return NewExtractor(f.Format, name, named)
	case listFormat:
		return NewExtractor(f.Format, name, named)
	case jsonLines, jsonArray:
		field, ok := parseName(name)
		if !ok {
			return nil
		}
		return &jsonExtractor{newJSONScanner([]Field{field}, false)}
	case *csvRows:
		return &rowExtractor{format: &csvRows{dialect: f.dialect, header: f.header, fields: []string{name}}}
	case framed:
		if f.rows {
			return newProvidedValue(name, named)
		}
		if slices.Contains(f.named, name) {
			return textValue{f.newText(), name}
		}
	}
	return nil
}

// parseName reads the path of a field that has one value.
func parseName(name string) (field Field, ok bool) {
	field, err := ParseField(name)
	return field, err == nil && !field.selectsSeveral()
}

// CheckExtractable reports what is wrong with Options.ID, Rank or Time for records of a format.
func CheckExtractable(f Format, id string) error {
	if id == "" || NewExtractor(f, id, []string{id}) != nil {
		return nil
	}
	if framed, ok := f.(framed); ok && len(framed.named) > 0 {
		return fmt.Errorf("records have no %q: it must be one of %s", id, strings.Join(framed.named, ", "))
	}
	return fmt.Errorf("records have no %q: it must be one field of JSON records, or a column of rows", id)
}

type jsonExtractor struct{ jsonScanner }

func (*jsonExtractor) SetTable(*Table) {}

// Append takes strings and numbers, as they stand there.
func (j *jsonExtractor) Append(dst []byte, of View) []byte {
	defer j.release()
	body := of.Body
	if p := j.scan(body); p.kind != KindReadable || j.wants[0].start < 0 {
		return dst
	}
	return appendName(dst, body[j.wants[0].start:j.wants[0].end])
}

// appendName appends a JSON value, if it is a string or a number.
func appendName(dst, value []byte) []byte {
	if len(value) > 0 && (value[0] == '"' || value[0] >= '0' && value[0] <= '9' ||
		value[0] == '-' && value[1] != 'I') { // neither NaN nor -Infinity
		return append(dst, value...)
	}
	return dst
}

type rowExtractor struct {
	format *csvRows
	table  *Table
	spans  []span
	column int // -1 if no column has that name
	field  []byte
}

func (r *rowExtractor) SetTable(t *Table) {
	r.column, r.table = -1, t
	if t == nil { // the head of the input could not be read: it has no rows
		return
	}
	if t, err := r.format.table(t.dialect, t.Names); err == nil {
		r.column = t.columns[0]
	}
}

// Append makes a string of what is in the column.
func (r *rowExtractor) Append(dst []byte, of View) []byte {
	body := of.Body
	if r.column < 0 {
		return dst
	}
	var ok bool
	if r.spans, ok = fieldSpans(r.spans[:0], body, r.table.dialect); !ok || r.column >= len(r.spans) {
		return dst
	}
	r.field = r.spans[r.column].appendTo(r.field[:0], body)
	return jsontext.AppendQuoted(dst, r.field)
}

// providedValue is the number of a value that a RecordReader hands over.
type providedValue int

func newProvidedValue(name string, named []string) Extractor {
	if _, ok := parseName(name); !ok {
		return nil
	}
	return providedValue(slices.Index(named, name))
}

func (providedValue) SetTable(*Table) {}

func (i providedValue) Append(dst []byte, of View) []byte {
	if int(i) >= len(of.Named) {
		return dst
	}
	span := of.Named[i]
	return appendName(dst, of.Buf[span.Start:span.End])
}

// textValue finds a value in records that workers take apart.
type textValue struct {
	text RecordText
	name string
}

func (textValue) SetTable(*Table) {}

func (v textValue) Append(dst []byte, of View) []byte {
	return v.text.AppendValue(dst, of.Body, v.name)
}
