package stream

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CSV are rows as RFC 4180 has them: fields stand between commas (or tabs, …), and one in quotes may hold commas, quotes written
// twice, and newlines. With header, the first row names the columns, and each row must have as many fields. A field is named by its
// column, or by its number from 1; without header only by that. A quote inside a field that does not begin with one is a character
// like others.
func CSV(comma byte, header bool, fields []string) Format { return &csvRows{comma, header, fields} }

type csvRows struct {
	comma  byte
	header bool
	fields []string
}

func (f *csvRows) newCutter() cutter    { return &rowCutter{format: f, rows: rowScanner{comma: f.comma}} }
func (f *csvRows) newParser() parser    { return &rowParser{comma: f.comma} }
func (f *csvRows) fieldNames() []string { return f.fields }
func (*csvRows) unit() string           { return "row" }
func (*csvRows) frame() frame           { return frame{} }

// table finds the columns of the fields. Without a header there are no names.
func (f *csvRows) table(names []string) (*table, error) {
	t := &table{names: names}
	for _, field := range f.fields {
		column := slices.Index(names, field)
		if number, err := strconv.Atoi(field); column < 0 && err == nil && number >= 1 && (number <= len(names) || !f.header) {
			column = number - 1
		}
		switch {
		case column < 0 && f.header:
			return nil, fatalError{fmt.Errorf("there is no column %q: choose from %s with --field", field, strings.Join(names, ", "))}
		case column < 0:
			return nil, fatalError{fmt.Errorf("without a header there is no column %q: give its number", field)}
		}
		t.columns = append(t.columns, column)
	}
	return t, nil
}

func (f *csvRows) convert() func(dst, record []byte, t *table) []byte {
	return (&rowConverter{comma: f.comma}).append
}

// rowScanner walks over rows.
type rowScanner struct {
	comma  byte
	quoted bool // inside quotes
	closed bool // the byte before ended quotes: another quote there belongs to the field
	last   byte // the byte before; a newline where a row begins
	atMark bool // at the beginning of the input, where the first field may stand behind a byte order mark
}

func (s *rowScanner) restart() { s.quoted, s.closed, s.last = false, false, '\n' }

// scan walks from buf[i] to the end of buf, or of the first row. It returns the index behind the last newline that ends a row, or 0.
func (s *rowScanner) scan(buf []byte, i int, first bool) (end int) {
	for i < len(buf) {
		n := bytes.IndexByte(buf[i:], '"')
		if n < 0 {
			n = len(buf) - i
		}
		if !s.quoted {
			if e := lineEnd(buf[i:i+n], first); e > 0 {
				if end = i + e; first {
					return end
				}
			}
		}
		if n > 0 {
			s.closed, s.last = false, buf[i+n-1]
		}
		if i += n; i == len(buf) {
			break
		}
		switch { // at a quote
		case s.quoted:
			s.quoted, s.closed = false, true
		case s.closed || s.last == s.comma || s.last == '\n' || s.atMark && i == len(byteOrderMark) && bytes.HasPrefix(buf, byteOrderMark):
			s.quoted, s.closed = true, false
		}
		s.last = '"'
		i++
	}
	return end
}

func lineEnd(span []byte, first bool) int {
	if first {
		return bytes.IndexByte(span, '\n') + 1
	}
	return lastIndexByte(span, '\n') + 1
}

// rowCutter finds the ends of rows.
type rowCutter struct {
	format *csvRows
	rows   rowScanner
	led    bool // the header is known
}

func (c *rowCutter) lead(block []byte) (int, *table, error) {
	if !c.format.header {
		t, err := c.format.table(nil)
		return 0, t, err
	}
	rows := rowScanner{comma: c.format.comma, atMark: true}
	rows.restart()
	end := rows.scan(block, 0, true)
	if end == 0 || end > headSize {
		return 0, nil, fatalError{fmt.Errorf("its first row does not end within %d bytes: is it %s?", headSize, c.name())}
	}
	names, err := fieldsOfRow(withoutMark(block[:end-1]), c.format.comma)
	if err != nil {
		return 0, nil, fatalError{err}
	}
	c.led = true
	t, err := c.format.table(names)
	return end, t, err
}

func (c *rowCutter) name() string {
	if c.format.comma == '\t' {
		return "TSV"
	}
	return "CSV"
}

func (c *rowCutter) resume(head []byte) (*table, error) {
	_, t, err := c.lead(head)
	return t, err
}

func (c *rowCutter) restart() {
	c.rows.restart()
	c.rows.atMark = c.format.header && !c.led
}

func (c *rowCutter) find(buf []byte, seen int, first bool) (end int, err error) {
	return c.rows.scan(buf, seen, first), nil
}

// pending takes a header for part of a record only where it is too long for one.
func (c *rowCutter) pending(buf []byte) int {
	if c.format.header && !c.led && len(buf) <= headSize {
		return 0
	}
	return len(buf)
}

func (*rowCutter) end([]byte) ([]byte, error) { return []byte{'\n'}, nil }
func (*rowCutter) terminator() []byte         { return nil }

// rowParser takes rows apart.
type rowParser struct {
	comma byte
	table *table
	spans []span // of the fields of the row at hand

	scratch []byte // its text
}

// A span is where a field stands in a row, without its quotes.
type span struct {
	start, end int
	escaped    bool // there are quotes in it, written twice
}

func (p *rowParser) enter(t *table) { p.table = t }

func (p *rowParser) next(buf []byte, at int) (start, body, end int) {
	rows := rowScanner{comma: p.comma}
	rows.restart()
	end = rows.scan(buf[at:], 0, true)
	if end == 0 { // there is none, or the last row of the input ends inside quotes
		return at, len(buf), len(buf)
	}
	return at, at + end - 1, at + end
}

func (p *rowParser) text(body []byte) ([]byte, Problem) {
	if len(body) == 0 || body[0] == '\r' && len(body) == 1 {
		return nil, Problem{kind: blankLine}
	}
	var ok bool
	if p.spans, ok = fieldSpans(p.spans[:0], body, p.comma); !ok {
		return nil, Problem{kind: badRow}
	}
	if names := p.table.names; names != nil && len(p.spans) != len(names) {
		return nil, Problem{kind: rowLength}
	}
	text := p.scratch[:0]
	for i, column := range p.table.columns {
		if column >= len(p.spans) {
			return nil, Problem{noField, uint16(i)}
		}
		if i > 0 {
			text = append(text, '\n')
		}
		text = p.spans[column].appendTo(text, body)
	}
	p.scratch = text
	return text, Problem{}
}

func (p *rowParser) release() { p.scratch = keep(p.scratch) }

// appendTo appends the contents of the field.
func (s span) appendTo(dst, row []byte) []byte {
	field := row[s.start:s.end]
	if !s.escaped {
		return append(dst, field...)
	}
	for {
		n := bytes.IndexByte(field, '"')
		if n < 0 {
			return append(dst, field...)
		}
		dst = append(dst, field[:n+1]...)
		field = field[n+2:]
	}
}

// fieldSpans appends the spans of all fields of a row. ok is false if something stands behind the quotes of a field, or they do not end.
func fieldSpans(spans []span, row []byte, comma byte) (_ []span, ok bool) {
	row = bytes.TrimSuffix(row, []byte{'\r'})
	for i := 0; ; {
		s := span{start: i}
		if i < len(row) && row[i] == '"' {
			s.start++
			if s.end, s.escaped, ok = closingQuote(row, s.start); !ok {
				return spans, false
			}
			i = s.end + 1
			if i < len(row) && row[i] != comma {
				return spans, false
			}
		} else if n := bytes.IndexByte(row[i:], comma); n >= 0 {
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
func closingQuote(row []byte, i int) (at int, escaped, ok bool) {
	for {
		n := bytes.IndexByte(row[i:], '"')
		if n < 0 {
			return 0, false, false
		}
		if i += n; i+1 == len(row) || row[i+1] != '"' {
			return i, escaped, true
		}
		escaped = true
		i += 2
	}
}

// fieldsOfRow returns the contents of all fields.
func fieldsOfRow(row []byte, comma byte) ([]string, error) {
	spans, ok := fieldSpans(nil, row, comma)
	if !ok {
		return nil, fmt.Errorf("its first row cannot be read: quotes in it are not closed, or something stands behind them")
	}
	fields := make([]string, len(spans))
	for i, s := range spans {
		fields[i] = string(s.appendTo(nil, row))
	}
	return fields, nil
}
