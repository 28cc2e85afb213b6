package stream

import (
	"bytes"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Text is plain text in which each piece that ends with the separator is a record. New refuses an
// empty separator.
func Text(separator string) Format { return plainText{[]byte(separator)} }

type plainText struct{ separator []byte }

// endsNothing reports whether a format is plain text with an empty separator.
func endsNothing(f Format) bool {
	text, ok := f.(plainText)
	return ok && len(text.separator) == 0
}

func (f plainText) newCutter() cutter {
	if len(f.separator) == 1 {
		return lineCutter{newline: f.separator[0]}
	}
	return &separatorCutter{separator: f.separator}
}

func (f plainText) newParser() parser          { return textParser(f) }
func (f plainText) newLiterals() literalFinder { return wholeText{string(f.separator)} }
func (plainText) fieldNames() []string         { return nil }
func (plainText) frame() frame                 { return frame{} }

func (f plainText) unit() string {
	if string(f.separator) == "\n" {
		return ""
	}
	return "record"
}

func (plainText) convert() func(dst, record []byte, t *table) []byte {
	return func(dst, record []byte, t *table) []byte {
		dst = append(dst, `{"text":`...)
		dst = jsontext.AppendQuoted(dst, record)
		return append(dst, "}\n"...)
	}
}

type textParser struct{ separator []byte }

func (textParser) enter(*table) {}

func (p textParser) next(buf []byte, at int) (start, body, end int) {
	n := bytes.Index(buf[at:], p.separator)
	if n < 0 {
		return at, len(buf), len(buf)
	}
	return at, at + n, at + n + len(p.separator)
}

func (textParser) text(body []byte) ([]byte, Problem) { return body, Problem{} }
func (textParser) omitted() Omissions                 { return Omissions{} }
func (textParser) release()                           {}

// separatorCutter finds records that end with several bytes. Which ends there are is decided from
// the beginning of each record, so that it makes no difference where blocks end.
type separatorCutter struct {
	headless
	separator []byte
	from      int    // nothing ends in buf before
	carried   []byte // the end of the last block, while a record goes on in the next one
}

func (c *separatorCutter) restart() { c.from, c.carried = 0, c.carried[:0] }

func (c *separatorCutter) find(buf []byte, seen int, first bool) (end int, err error) {
	if first {
		return c.findFirst(buf), nil
	}
	for range mostRecords {
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
func (c *separatorCutter) findFirst(buf []byte) int {
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
func (c *separatorCutter) carry(buf []byte) {
	c.carried = append(c.carried, buf[max(0, len(buf)-len(c.separator)+1):]...)
	c.carried = c.carried[max(0, len(c.carried)-len(c.separator)+1):]
}

func (c *separatorCutter) pending(buf []byte) int { return len(buf) - len(c.separator) + 1 }

// end returns what of a separator is missing after the last record.
func (c *separatorCutter) end(rest []byte) ([]byte, error) {
	for n := len(c.separator) - 1; n > 0; n-- {
		if bytes.HasSuffix(rest, c.separator[:n]) || len(rest) == 0 && bytes.HasSuffix(c.carried, c.separator[:n]) {
			return c.separator[n:], nil
		}
	}
	return c.separator, nil
}

func (c *separatorCutter) terminator() []byte { return c.separator }
