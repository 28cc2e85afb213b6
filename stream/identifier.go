package stream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// An identifier finds what names a record. It may own scratch memory: one for each worker.
type identifier interface {
	// enter says what the head of the input has said, which the batch is of.
	enter(t *table)
	// append appends the name of a record to dst, as JSON, or nothing if it has none.
	append(dst []byte, of nameable) []byte
}

// A nameable is a record as far as identifiers see it.
type nameable struct {
	body  []byte // as it came, or what a RecordReader has handed over as its text
	buf   []byte // what named speaks of
	named []Span // the values that a RecordReader has handed over
}

// newIdentifier returns the identifier of a field of JSON records, or of a column of rows. It is
// nil if records of the format have neither, or the path of the field makes no sense. A Namer hands
// over the named fields.
func newIdentifier(f Format, name string, named []string) identifier {
	switch f := f.(type) {
	case messages:
		return newIdentifier(f.Format, name, named)
	case listFormat:
		return newIdentifier(f.Format, name, named)
	case jsonLines, jsonArray:
		field, ok := parseName(name)
		if !ok {
			return nil
		}
		return &jsonIdentifier{newJSONScanner([]Field{field}, false)}
	case *csvRows:
		return &rowIdentifier{format: &csvRows{dialect: f.dialect, header: f.header, fields: []string{name}}}
	case framed:
		if f.rows {
			return newHandedOver(name, named)
		}
		if slices.Contains(f.named, name) {
			return valueOf{f.newText(), name}
		}
	}
	return nil
}

// parseName reads the path of a field that has one value.
func parseName(name string) (field Field, ok bool) {
	field, err := ParseField(name)
	return field, err == nil && !field.selectsSeveral()
}

// named are the fields that a Namer is asked for.
func (s *Source) named() []string {
	var names []string
	for _, name := range append([]string{s.ID, s.Rank, s.Time, s.Within}, s.Fields...) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// name asks a RecordReader for the values of fields.
func (s *Source) name(r RecordReader) error {
	namer, ok := r.(Namer)
	names := s.named()
	if !ok || len(names) == 0 {
		return nil
	}
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i], _ = parseName(name) // which CheckID has accepted
	}
	return namer.Name(fields)
}

// CheckID reports what is wrong with Options.ID, Rank or Time for records of a format.
func CheckID(f Format, id string) error {
	if id == "" || newIdentifier(f, id, []string{id}) != nil {
		return nil
	}
	if framed, ok := f.(framed); ok && len(framed.named) > 0 {
		return fmt.Errorf("records have no %q: it must be one of %s", id, strings.Join(framed.named, ", "))
	}
	return fmt.Errorf("records have no %q: it must be one field of JSON records, or a column of rows", id)
}

type jsonIdentifier struct{ jsonScanner }

func (*jsonIdentifier) enter(*table) {}

// append takes strings and numbers, as they stand there.
func (j *jsonIdentifier) append(dst []byte, of nameable) []byte {
	defer j.release()
	body := of.body
	if p := j.scan(body); p.kind != readable || j.wants[0].start < 0 {
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

type rowIdentifier struct {
	format *csvRows
	table  *table
	spans  []span
	column int // -1 if no column has that name
	field  []byte
}

func (r *rowIdentifier) enter(t *table) {
	r.column, r.table = -1, t
	if t == nil { // the head of the input could not be read: it has no rows
		return
	}
	if t, err := r.format.table(t.dialect, t.names); err == nil {
		r.column = t.columns[0]
	}
}

// append makes a string of what is in the column.
func (r *rowIdentifier) append(dst []byte, of nameable) []byte {
	body := of.body
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

// handedOver is the number of a value that a RecordReader hands over.
type handedOver int

func newHandedOver(name string, named []string) identifier {
	if _, ok := parseName(name); !ok {
		return nil
	}
	return handedOver(slices.Index(named, name))
}

func (handedOver) enter(*table) {}

func (i handedOver) append(dst []byte, of nameable) []byte {
	if int(i) >= len(of.named) {
		return dst
	}
	span := of.named[i]
	return appendName(dst, of.buf[span.Start:span.End])
}

// valueOf finds a value in records that workers take apart.
type valueOf struct {
	text RecordText
	name string
}

func (valueOf) enter(*table) {}

func (v valueOf) append(dst []byte, of nameable) []byte {
	return v.text.AppendValue(dst, of.body, v.name)
}
