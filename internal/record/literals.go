package record

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Literals finds the literals of some fields in records, for editing records in place. It owns
// scratch memory, so each goroutine needs its own.
type Literals struct {
	format Format
	find   literalFinder
}

// A literalFinder appends the literals of a record, in the order in which they stand there.
type literalFinder func(dst []Literal, body []byte, t *Table) ([]Literal, Problem)

// A Literal locates the text of a field in a record, including its quotes.
type Literal struct {
	Field      int // which of the fields
	Start, End int
	form       literalForm
}

// A literalForm is how a literal encodes its text.
type literalForm struct {
	kind   literalKind
	apart  string
	escape byte // that stands before a quote in quotes; 0 if it is written twice
}

type literalKind uint8

const (
	jsonLiteral  literalKind = iota
	plainLiteral             // which lacks apart as a whole
	rawLiteral               // which lacks each character of apart
	cellLiteral              // which is quoted where it has one of these
)

// NewLiterals returns Literals for records in a format, or nil if texts are not literals in its
// records. JSONLines is for records that are converted to JSON.
func NewLiterals(f Format) *Literals {
	find := f.newLiterals()
	if find == nil {
		return nil
	}
	return &Literals{f, find}
}

// Append appends the literals of a record to dst, in the order in which they stand there. Fields
// that the record does not have, or that are no texts, are left out. body is the record without its
// terminator, and t the table if it is a row. An error says why it is
// not a record.
func (l *Literals) Append(dst []Literal, body []byte, t *Table) ([]Literal, error) {
	found, p := l.find(dst, body, t)
	if p.kind != KindReadable {
		return dst, errors.New(p.Describe(l.format, 0))
	}
	return found, nil
}

// IsJSON reports whether the literal is a string of JSON.
func (l Literal) IsJSON() bool { return l.form.kind == jsonLiteral }

// AppendText appends to dst the text of the literal in a record.
func (l Literal) AppendText(dst, record []byte) []byte {
	literal := record[l.Start:l.End]
	switch {
	case l.form.kind == jsonLiteral:
		return jsontext.AppendUnquoted(dst, literal)
	case l.form.kind == cellLiteral && isQuoted(literal):
		return span{1, len(literal) - 1, true, l.form.escape}.appendTo(dst, literal)
	}
	return append(dst, literal...)
}

// AppendAs appends a text to dst in the form of the literal in a record. ok is false if that is
// impossible because the text contains what ends a field or a record. It is for literals that are
// not JSON.
func (l Literal) AppendAs(dst, record, text []byte) (_ []byte, ok bool) {
	mustBeQuoted := bytes.ContainsAny(text, l.form.apart)
	switch {
	case l.form.kind == plainLiteral:
		return append(dst, text...), l.form.apart == "" || !bytes.Contains(text, []byte(l.form.apart))
	case l.form.kind == rawLiteral:
		return append(dst, text...), !mustBeQuoted
	case !mustBeQuoted && !isQuoted(record[l.Start:l.End]):
		return append(dst, text...), true
	}
	quote := []byte(`""`)
	if l.form.escape != 0 {
		quote[0] = l.form.escape
		text = bytes.ReplaceAll(text, quote[:1], []byte{l.form.escape, l.form.escape})
	}
	dst = append(dst, '"')
	dst = append(dst, bytes.ReplaceAll(text, []byte{'"'}, quote)...)
	return append(dst, '"'), true
}

func isQuoted(cell []byte) bool { return len(cell) > 1 && cell[0] == '"' }

// jsonLiterals finds the strings of JSON objects.
type jsonLiterals struct {
	jsonScanner
	strings stringsBelow
	found   []Literal
	field   int // the current one
}

func newJSONLiterals(fields []Field) literalFinder {
	l := &jsonLiterals{jsonScanner: newJSONScanner(fields, 0)}
	l.strings.found = l.add
	return l.appendTo
}

// add adds a string. A number, or what is written as a list of bytes, cannot be edited in place.
func (l *jsonLiterals) add(start, end int, kind foundKind) {
	if kind == foundString {
		l.found = append(l.found, Literal{Field: l.field, Start: start, End: end})
	}
}

func (l *jsonLiterals) appendTo(dst []Literal, body []byte, t *Table) ([]Literal, Problem) {
	if p := l.scan(body); p.kind != KindReadable {
		return dst, p
	}
	n := len(dst)
	l.found = dst
	for i := range l.wants {
		w := l.wants[i]
		l.field = i
		for place := range w.found {
			switch body[place] {
			case '"', '{', '[':
				l.strings.begin(body, w.below)
				l.strings.value(place)
			}
		}
	}
	dst, l.found = l.found, nil
	slices.SortFunc(dst[n:], func(a, b Literal) int { return cmp.Compare(a.Start, b.Start) })
	return dst, Problem{}
}

// wholeText finds the text of a record that is nothing else.
type wholeText struct{ separator string }

func (w wholeText) appendTo(dst []Literal, body []byte, t *Table) ([]Literal, Problem) {
	return append(dst, Literal{End: len(body), form: literalForm{kind: plainLiteral, apart: w.separator}}), Problem{}
}

// rowLiterals finds the cells of rows.
type rowLiterals struct{ rowParser }

func (l *rowLiterals) appendTo(dst []Literal, body []byte, t *Table) ([]Literal, Problem) {
	l.SetTable(t)
	if _, p := l.Text(body); p.kind != KindReadable {
		return dst, p
	}
	n, form := len(dst), literalForm{cellLiteral, "\"\r\n" + string(l.rows.comma), l.rows.escape}
	if l.rows.raw {
		form = literalForm{kind: rawLiteral, apart: "\t\n"}
	}
	for i, column := range l.columns {
		if column == noColumn {
			continue
		}
		at := Literal{Field: i, Start: l.spans[column].start, End: l.spans[column].end, form: form}
		if !l.rows.raw && at.Start > 0 && body[at.Start-1] == '"' {
			at.Start, at.End = at.Start-1, at.End+1
		}
		dst = append(dst, at)
	}
	slices.SortFunc(dst[n:], func(a, b Literal) int { return cmp.Compare(a.Start, b.Start) })
	return dst, Problem{}
}
