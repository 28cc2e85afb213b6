package stream

import "fmt"

// An identifier finds what names a record. It may own scratch memory: one for each worker.
type identifier interface {
	// enter says what the head of the input has said, which the batch is of.
	enter(t *table)
	// append appends the name of a record to dst, as JSON, or nothing if it has none.
	append(dst, body []byte) []byte
}

// newIdentifier returns the identifier of a field of JSON records, or of a column of rows. It is
// nil if records of the format have neither, or the path of the field makes no sense.
func newIdentifier(f Format, name string) identifier {
	switch f := f.(type) {
	case messages:
		return newIdentifier(f.Format, name)
	case jsonLines, jsonArray:
		field, err := ParseField(name)
		if err != nil || field.selectsSeveral() {
			return nil
		}
		return &jsonIdentifier{newJSONScanner([]Field{field}, false)}
	case *csvRows:
		return &rowIdentifier{format: &csvRows{f.dialect, f.header, []string{name}}}
	}
	return nil
}

// CheckID reports what is wrong with Options.ID, Rank or Time for records of a format.
func CheckID(f Format, id string) error {
	if id != "" && newIdentifier(f, id) == nil {
		return fmt.Errorf("records have no %q: it must be one field of JSON records, or a column of rows", id)
	}
	return nil
}

type jsonIdentifier struct{ jsonScanner }

func (*jsonIdentifier) enter(*table) {}

// append takes strings and numbers, as they stand there.
func (j *jsonIdentifier) append(dst, body []byte) []byte {
	defer j.release()
	if p := j.scan(body); p.kind != readable || j.wants[0].start < 0 {
		return dst
	}
	value := body[j.wants[0].start:j.wants[0].end]
	if c := value[0]; c == '"' || c == '-' || c >= '0' && c <= '9' {
		return append(dst, value...)
	}
	return dst
}

type rowIdentifier struct {
	format *csvRows
	table  *table
	spans  []span
	column int // -1 if there is none of that name
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
func (r *rowIdentifier) append(dst, body []byte) []byte {
	if r.column < 0 {
		return dst
	}
	var ok bool
	if r.spans, ok = fieldSpans(r.spans[:0], body, r.table.dialect); !ok || r.column >= len(r.spans) {
		return dst
	}
	r.field = r.spans[r.column].appendTo(r.field[:0], body)
	return AppendQuoted(dst, r.field)
}

// Values finds what some fields of JSON records hold: strings and numbers, as JSON. It owns scratch
// memory: one for each goroutine.
type Values struct {
	fields []identifier
	bytes  []byte
	list   [][]byte
}

// NewValues returns a Values for these fields; CheckID says which ones there may be.
func NewValues(fields []string) (*Values, error) {
	v := &Values{list: make([][]byte, len(fields))}
	for _, field := range fields {
		f := newIdentifier(JSONLines(nil), field)
		if f == nil {
			return nil, CheckID(JSONLines(nil), field)
		}
		v.fields = append(v.fields, f)
	}
	return v, nil
}

// Of returns the value of each field of a record; it is empty where the field holds anything else,
// or the record has none. What it returns is valid until the next call.
func (v *Values) Of(record []byte) [][]byte {
	v.bytes = v.bytes[:0]
	ends := make([]int, 0, 16)
	for _, f := range v.fields {
		v.bytes = f.append(v.bytes, record)
		ends = append(ends, len(v.bytes))
	}
	start := 0
	for i, end := range ends {
		v.list[i], start = v.bytes[start:end], end
	}
	return v.list
}
