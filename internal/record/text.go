package record

import (
	"bytes"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Text is plain text in which each piece that ends with the separator is a record. New refuses an
// empty separator.
func Text(separator string) Format { return plainText{[]byte(separator)} }

type plainText struct{ separator []byte }

// HasEmptySeparator reports whether a format is plain text with an empty separator.
func HasEmptySeparator(f Format) bool {
	text, ok := f.(plainText)
	return ok && len(text.separator) == 0
}

func (f plainText) NewSplitter() Splitter {
	if len(f.separator) == 1 {
		return lineSplitter{newline: f.separator[0], anyBytes: f.Unit() != ""}
	}
	return &separatorSplitter{separator: f.separator}
}

func (f plainText) NewParser(...string) Parser { return textParser(f) }
func (f plainText) newLiterals() literalFinder { return wholeText{string(f.separator)}.appendTo }
func (plainText) fieldNames() []string         { return nil }
func (plainText) Frame() Frame                 { return Frame{} }

func (f plainText) Unit() string {
	if string(f.separator) == "\n" {
		return ""
	}
	return "record"
}

func (plainText) NewConverter() func(dst, record []byte, t *Table) []byte {
	return func(dst, record []byte, t *Table) []byte {
		dst = append(dst, `{"text":`...)
		dst = jsontext.AppendQuoted(dst, record)
		return append(dst, "}\n"...)
	}
}

type textParser struct{ separator []byte }

func (textParser) SetTable(*Table) {}

func (p textParser) Next(buf []byte, at int) (start, body, end int) {
	n := bytes.Index(buf[at:], p.separator)
	if n < 0 {
		return at, len(buf), len(buf)
	}
	return at, at + n, at + n + len(p.separator)
}

func (textParser) Text(body []byte) ([]byte, Problem) { return body, Problem{} }
func (textParser) Find([]byte)                        {}
func (textParser) Value(int, View) []byte             { return nil }
func (textParser) Omissions() Omissions               { return Omissions{} }
func (textParser) Release()                           {}

// separatorSplitter finds records that end with several bytes. Which ends there are is decided from
// the beginning of each record, so that it makes no difference where blocks end.
type separatorSplitter struct {
	headless
	separator []byte
	from      int    // nothing ends in buf before
	carried   []byte // the end of the last block, while a record goes on in the next one
}

func (c *separatorSplitter) Restart() { c.from, c.carried = 0, c.carried[:0] }

func (c *separatorSplitter) FindEnd(buf []byte, seen int, first bool) (end int, err error) {
	if first {
		return c.findFirst(buf), nil
	}
	for range MaxRecords {
		n := bytes.Index(buf[c.from:], c.separator)
		if n < 0 {
			break
		}
		c.from += n + len(c.separator)
		end = c.from
	}
	c.from = max(c.from, len(buf)-len(c.separator)+1)
	c.carry(buf)
	return end, nil
}

// findFirst looks for the end of a record whose first blocks were passed on already.
func (c *separatorSplitter) findFirst(buf []byte) int {
	edge := append(bytes.Clone(c.carried), buf[:min(len(buf), len(c.separator)-1)]...)
	if n := bytes.Index(edge, c.separator); n >= 0 {
		return n + len(c.separator) - len(c.carried)
	}
	if n := bytes.Index(buf, c.separator); n >= 0 {
		return n + len(c.separator)
	}
	c.carry(buf)
	return 0
}

// carry keeps what may be the beginning of a separator.
func (c *separatorSplitter) carry(buf []byte) {
	c.carried = append(c.carried, buf[max(0, len(buf)-len(c.separator)+1):]...)
	c.carried = c.carried[max(0, len(c.carried)-len(c.separator)+1):]
}

func (c *separatorSplitter) Pending(buf []byte) int { return len(buf) - len(c.separator) + 1 }

// Finish returns what of a separator is missing after the last record.
func (c *separatorSplitter) Finish(rest []byte) ([]byte, error) {
	for n := len(c.separator) - 1; n > 0; n-- {
		if bytes.HasSuffix(rest, c.separator[:n]) || len(rest) == 0 && bytes.HasSuffix(c.carried, c.separator[:n]) {
			return c.separator[n:], nil
		}
	}
	return c.separator, nil
}

func (c *separatorSplitter) Terminator() []byte { return c.separator }
