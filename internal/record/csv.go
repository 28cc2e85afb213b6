package record

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CSV are rows as RFC 4180 has them: fields stand between commas, or another delimiter, and one in
// quotes may hold delimiters, quotes written twice, and newlines. With header, the first row names
// the columns, and each row must have as many fields. A field is named by its column, or by its
// number from 1; without header only by that. A quote inside a field that does not begin with one
// is a character like others.
//
// A delimiter of 0 is a comma, unless the header leaves no doubt: without a comma, but with
// semicolons, tabs or bars, and only one of the three, it is that one. A first line such as
// `sep=;`, as Excel writes it, says it too, and is no row. Rows end with newlines; or with carriage
// returns, if the first one does.
func CSV(delimiter byte, header bool, fields []string) Format {
	return &csvRows{dialect: dialect{comma: delimiter}, header: header, fields: fields}
}

// TSV are rows whose fields stand between tabs, as the media type text/tab-separated-values has
// them: each line is a row, and a quote is a character like others. Else they are like rows of CSV.
func TSV(header bool, fields []string) Format {
	return &csvRows{dialect: dialect{comma: '\t', raw: true}, header: header, fields: fields}
}

// Escaped is a format of rows in which, within quotes, a quote that belongs to the field has the
// escape before it, as `\"` from Spark; the escape itself may have one, too. Quotes written twice
// are read as well. Other formats are returned as they are.
func Escaped(f Format, escape byte) Format {
	rows, ok := f.(*csvRows)
	if !ok {
		return f
	}
	escaped := *rows
	escaped.escape = escape
	return &escaped
}

// A dialect is how the fields of a row are told apart.
type dialect struct {
	comma   byte // 0 until the header is known, if that is to tell
	newline byte // that ends a row; 0 until the first row is known
	escape  byte // escapes a quote inside quotes; 0 means none
	raw     bool // quotes mean nothing
}

type csvRows struct {
	dialect
	header bool
	fields []string
	exact  bool // see Exact
	isKey  bool // see Key
}

// noColumn is the number of a column that may be absent, and is.
const noColumn = -1

func (f *csvRows) NewSplitter() Splitter {
	return &rowSplitter{format: f, rows: rowScanner{dialect: f.dialect}}
}

func (*csvRows) newLiterals() literalFinder { return new(rowLiterals).appendTo }
func (f *csvRows) fieldNames() []string     { return f.fields }
func (*csvRows) Unit() string               { return "row" }
func (*csvRows) Frame() Frame               { return Frame{} }

func (f *csvRows) NewParser(names ...string) Parser {
	return &rowParser{exact: f.exact, isKey: f.isKey, named: namedColumns{format: f, names: names}}
}

// table finds the columns of the fields. Without a header there are no names.
func (f *csvRows) table(d dialect, names []string) (*Table, error) {
	t := &Table{dialect: d, Names: names}
	for _, field := range f.fields {
		column := f.column(field, names)
		if without, ok := IsWholeRecord(field); ok && column < 0 {
			var err error
			if t.all, err = f.allBut(without, names); err != nil {
				return nil, err
			}
			continue
		}
		var others []int
		isOptional := false
		if column < 0 {
			name := field
			if name, isOptional = strings.CutSuffix(field, "?"); isOptional {
				column = f.column(name, names)
			}
			if column < 0 {
				column, others = f.alternatives(name, names)
			}
		}
		switch {
		case column < 0 && isOptional:
			t.add(noColumn, nil)
			continue
		case column < 0 && f.header:
			return nil, fatalError{fmt.Errorf("there is no column %q: choose from %s with --field", field,
				listed(names))}
		case column < 0:
			return nil, fatalError{fmt.Errorf("without a header there is no column %q: give its number", field)}
		}
		t.add(column, others)
		if f.isKey && isOptional {
			t.optional = append(t.optional, column)
		}
	}
	return t, nil
}

// column returns the number of a column, by its name or its number from 1, or a negative number if
// it does not exist.
func (f *csvRows) column(field string, names []string) int {
	column := slices.Index(names, field)
	if number, err := strconv.Atoi(field); column < 0 && err == nil && number >= 1 &&
		(number <= len(names) || !f.header) {
		column = number - 1
	}
	return column
}

// listed names columns, as far as a person wants to read: what is no header can be long.
func listed(names []string) string {
	const most, longest = 20, 60
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == most {
			b.WriteString("…")
			break
		}
		if cut := []rune(name); len(cut) > longest {
			name = string(cut[:longest]) + "…"
		}
		b.WriteString(name)
	}
	return b.String()
}

func (f *csvRows) NewConverter() func(dst, record []byte, t *Table) []byte {
	return new(rowConverter).append
}

// rowScanner walks over rows.
type rowScanner struct {
	dialect
	quoted bool // inside quotes
	closed bool // the byte before ended quotes: another quote there belongs to the field
	last   byte // the byte before; a newline where a row begins

	atRow     bool // buf begins with a row, before whose first field a byte order mark may stand
	isEscaped bool // what comes first in buf has an escape before it
}

func (s *rowScanner) restart() {
	s.quoted, s.closed, s.last, s.isEscaped, s.atRow = false, false, s.newline, false, true
}

// isMarked reports whether nothing but a byte order mark stands between the beginning of a row and
// buf[i].
func (s *rowScanner) isMarked(buf []byte, i int) bool {
	from := i - len(bom)
	return from >= 0 && bytes.HasPrefix(buf[from:], bom) &&
		(from == 0 && s.atRow || from > 0 && buf[from-1] == s.newline)
}

// escapes reports whether what stands before buf[i] takes the meaning from it.
func (s *rowScanner) escapes(buf []byte, i int) bool {
	n := 0
	for n < i && buf[i-1-n] == s.escape {
		n++
	}
	return (n%2 == 1) != (n == i && s.isEscaped)
}

// scan walks from buf[i] to the end of buf, or of the first row. It returns the index after the
// last newline that ends a row, or 0.
func (s *rowScanner) scan(buf []byte, i int, first bool) (end int) {
	if s.raw {
		if end = lineEnd(buf[i:], s.newline, first); end > 0 {
			end += i
		}
		return end
	}
	newline := -1 // if it may end the first row, the first one from i on
	for i < len(buf) {
		until := len(buf)
		if first && !s.quoted {
			if newline < i {
				newline = indexFrom(buf, i, s.newline)
			}
			until = min(until, newline+1)
		}
		n := bytes.IndexByte(buf[i:until], '"')
		if n < 0 {
			n = until - i
		}
		if !s.quoted {
			if e := lineEnd(buf[i:i+n], s.newline, first); e > 0 {
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
		case s.quoted && s.escape != 0 && s.escapes(buf, i):
		case s.quoted:
			s.quoted, s.closed = false, true
		case s.closed || s.last == s.comma || s.last == s.newline || s.isMarked(buf, i):
			s.quoted, s.closed = true, false
		}
		s.last = '"'
		i++
	}
	return end
}

// indexFrom returns the index of the first b in buf[i:], or len(buf).
func indexFrom(buf []byte, i int, b byte) int {
	if n := bytes.IndexByte(buf[i:], b); n >= 0 {
		return i + n
	}
	return len(buf)
}

func lineEnd(span []byte, newline byte, first bool) int {
	if first {
		return bytes.IndexByte(span, newline) + 1
	}
	return lastIndexByte(span, newline) + 1
}

// rowSplitter finds the ends of rows.
type rowSplitter struct {
	format *csvRows
	rows   rowScanner
	led    bool // what stands before the first record is known
}

func (c *rowSplitter) Head(block []byte) (int, *Table, error) {
	if isUTF16(block) {
		return 0, nil, ErrUTF16
	}
	c.rows.dialect, _ = c.format.completed(block, true)
	before := len(separatorLine(block))
	if !c.format.header {
		c.led = true
		t, err := c.format.table(c.rows.dialect, nil)
		return before, t, err
	}
	rows := rowScanner{dialect: c.rows.dialect}
	rows.restart()
	header := block[before:]
	end := rows.scan(header, 0, true)
	if end == 0 || end > HeadSize {
		return 0, nil, fatalError{fmt.Errorf("its first row does not end within %d bytes: is it %s?", HeadSize,
			c.name())}
	}
	names, err := fieldsOfRow(TrimBOM(header[:end-1]), c.rows.dialect)
	if err != nil {
		return 0, nil, fatalError{err}
	}
	c.led = true
	t, err := c.format.table(c.rows.dialect, names)
	return before + end, t, err
}

func (c *rowSplitter) name() string {
	if c.rows.comma == '\t' {
		return "TSV"
	}
	return "CSV"
}

func (c *rowSplitter) Resume(head []byte) (*Table, error) {
	_, t, err := c.Head(head)
	return t, err
}

func (c *rowSplitter) Restart() { c.rows.restart() }

func (c *rowSplitter) FindEnd(buf []byte, seen int, first bool) (end int, err error) {
	if c.rows.comma == 0 || c.rows.newline == 0 {
		var ok bool
		if c.rows.dialect, ok = c.format.completed(buf, false); !ok {
			c.rows.dialect = c.format.dialect
			return 0, nil
		}
		c.rows.restart()
		seen = 0
	}
	if first {
		c.rows.atRow = false
	}
	end = c.rows.scan(buf, seen, first)
	if c.rows.escape != 0 {
		c.rows.isEscaped = c.rows.escapes(buf, len(buf))
	}
	if endOfMost(buf[:end], c.rows.newline) < end { // though they may be within a row
		end = c.endOfMost(buf[:end])
	}
	if !c.led && end <= len(separatorLine(buf)) { // it is no row yet
		return 0, nil
	}
	return end, nil
}

// endOfMost returns where the row ends that is the last one of a batch.
func (c *rowSplitter) endOfMost(buf []byte) (end int) {
	c.Restart()
	for range MaxRecords {
		end += c.rows.scan(buf[end:], 0, true)
		c.rows.restart()
	}
	return end
}

// Pending takes a header for part of a record only where it is too long for one.
func (c *rowSplitter) Pending(buf []byte) int {
	if !c.led && len(buf) <= HeadSize && (c.format.header || c.rows.newline == 0) {
		return 0
	}
	return len(buf)
}

func (c *rowSplitter) Finish([]byte) ([]byte, error) {
	return []byte{cmp.Or(c.rows.newline, '\n')}, nil
}
func (*rowSplitter) Terminator() []byte { return nil }
