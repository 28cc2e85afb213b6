package record

import (
	"bytes"
	"errors"
	"slices"
)

// rowParser takes rows apart.
type rowParser struct {
	rows  rowScanner
	table *Table
	exact bool   // see Exact
	isKey bool   // see Key
	spans []span // of the fields of the current row; none if it cannot be read
	named namedColumns

	scratch []byte // its text
	cell    []byte // the same of one field, under exact
	columns []int  // with the texts of the current row
}

// A span locates a field in a row, without its quotes.
type span struct {
	start, end int
	escaped    bool // there are quotes in it, written twice, or after an escape
	escape     byte // of the dialect, if it is escaped
}

// SetTable takes a table that is nil where the head of the input could not be read: then it has no
// rows.
func (p *rowParser) SetTable(t *Table) {
	if p.table = t; t != nil {
		p.rows.dialect = t.dialect
		p.named.setTable(t)
	}
}

func (p *rowParser) Next(buf []byte, at int) (start, body, end int) {
	p.rows.restart()
	end = p.rows.scan(buf[at:], 0, true)
	if end == 0 { // no row follows, or the last row of the input ends inside quotes
		return at, len(buf), len(buf)
	}
	return at, at + end - 1, at + end
}

func (p *rowParser) Text(body []byte) ([]byte, Problem) {
	p.Find(body)
	if len(body) == 0 || body[0] == '\r' && len(body) == 1 {
		return nil, Problem{kind: KindBlankLine}
	}
	if len(p.spans) == 0 {
		return nil, Problem{kind: KindBadRow}
	}
	if names := p.table.Names; names != nil && len(p.spans) != len(names) {
		return nil, Problem{kind: KindRowLength}
	}
	text, found := p.scratch[:0], false
	p.columns = p.table.columnsOf(p.columns, p.spans)
	for i, column := range p.columns {
		switch {
		case column == noColumn:
			if p.exact && !p.isAlone() {
				text = append(p.between(text, i), `\-`...)
			}
			continue
		case column >= len(p.spans):
			return nil, Problem{KindNoField, uint16(i)}
		case p.exact:
			p.cell = p.spans[column].appendTo(p.cell[:0], body)
			if p.isKey && len(p.cell) == 0 && !slices.Contains(p.table.optional, p.firstColumn(i)) {
				return nil, NoText
			}
			text = p.appendKey(p.between(text, i), p.cell)
		default:
			if found {
				text = append(text, '\n')
			}
			text = p.spans[column].appendTo(text, body)
		}
		found = true
	}
	p.scratch = text
	if !found {
		return nil, NoText
	}
	return text, Problem{}
}

func (p *rowParser) Find(body []byte) {
	var ok bool
	if p.spans, ok = fieldSpans(p.spans[:0], body, p.rows.dialect); !ok {
		p.spans = p.spans[:0]
	}
}

func (p *rowParser) Value(i int, of View) []byte { return p.named.in(of.Body, p.spans, i) }

// firstColumn is the column of field i, or the first of its alternatives.
func (p *rowParser) firstColumn(i int) int {
	if i < len(p.table.columns) {
		return p.table.columns[i]
	}
	return p.columns[i]
}

// between separates the key of a column from those before it.
func (p *rowParser) between(key []byte, column int) []byte {
	if column > 0 {
		key = append(key, '\n')
	}
	return key
}

// appendKey appends a field as Exact has it.
func (p *rowParser) appendKey(key, text []byte) []byte {
	if p.isAlone() {
		return appendAlone(key, text)
	}
	return appendPart(key, text)
}

// isAlone reports whether the key consists of a single field.
func (p *rowParser) isAlone() bool { return len(p.table.columns) == 1 && p.table.all == nil }

func (*rowParser) Omissions() Omissions { return Omissions{} }

func (p *rowParser) Release() {
	p.scratch, p.cell = KeepScratch(p.scratch), KeepScratch(p.cell)
	p.named.release()
}

// appendTo appends the contents of the field.
func (s span) appendTo(dst, row []byte) []byte {
	field := row[s.start:s.end]
	if !s.escaped {
		return append(dst, field...)
	}
	dst = slices.Grow(dst, len(field)) // growing piece by piece takes several times as much
	marks := []byte{'"', '"'}
	if s.escape != 0 {
		marks[1] = s.escape
	}
	for {
		n := bytes.IndexAny(field, string(marks))
		if n < 0 || n+1 == len(field) {
			return append(dst, field...)
		}
		dst = append(dst, field[:n]...)
		if isQuote := field[n] == '"'; isQuote || field[n+1] == '"' || field[n+1] == s.escape {
			n++
		}
		dst = append(dst, field[n])
		field = field[n+1:]
	}
}

// fieldSpans appends the spans of all fields of a row. ok is false if something stands after the
// quotes of a field, or they do not end.
func fieldSpans(spans []span, row []byte, d dialect) (_ []span, ok bool) {
	row = bytes.TrimSuffix(row, []byte{'\r'})
	for i := 0; ; {
		s := span{start: i}
		if !d.raw && i < len(row) && row[i] == '"' {
			s.start++
			if s.end, s.escaped, ok = d.closingQuote(row, s.start); !ok {
				return spans, false
			}
			s.escape = d.escape
			i = s.end + 1
			if i < len(row) && row[i] != d.comma {
				return spans, false
			}
		} else if n := bytes.IndexByte(row[i:], d.comma); n >= 0 {
			i += n
			s.end = i
		} else {
			i = len(row)
			s.end = i
		}
		spans = append(spans, s)
		if i >= len(row) {
			return spans, true
		}
		i++ // the comma
	}
}

// closingQuote returns where the quotes end that have begun before row[i].
func (d dialect) closingQuote(row []byte, i int) (at int, escaped, ok bool) {
	for {
		n := bytes.IndexByte(row[i:], '"')
		if n < 0 {
			return 0, false, false
		}
		if d.escape != 0 {
			if e := bytes.IndexByte(row[i:i+n], d.escape); e >= 0 {
				escaped = true
				if i += e + 2; i > len(row) {
					return 0, false, false
				}
				continue
			}
		}
		if i += n; i+1 == len(row) || row[i+1] != '"' {
			return i, escaped, true
		}
		escaped = true
		i += 2
	}
}

// fieldsOfRow returns the contents of all fields.
func fieldsOfRow(row []byte, d dialect) ([]string, error) {
	spans, ok := fieldSpans(nil, row, d)
	if !ok {
		return nil, errors.New("its first row cannot be read: quotes in it are not closed, or " +
			"something stands after them")
	}
	fields := make([]string, len(spans))
	for i, s := range spans {
		fields[i] = string(s.appendTo(nil, row))
	}
	return fields, nil
}
