package record

import (
	"bytes"
	"errors"
	"strings"
)

// delimiters are those that a header may show in place of commas.
const delimiters = ";\t|"

// completed fills in what the first row is to tell: what stands between fields, and what ends rows.
// ok is false if the row has not ended in buf, which the input begins with, unless that is all.
func (d dialect) completed(buf []byte, all bool) (_ dialect, ok bool) {
	if d.comma != 0 && d.newline != 0 {
		return d, true
	}
	buf = buf[:min(len(buf), HeadSize)]
	separator := separatorLine(buf)
	if !all && len(separator) == 0 && len(buf) < HeadSize && isBegunSeparator(buf) {
		return d, false
	}
	row := TrimBOM(buf[len(separator):])
	seen, newline := d.lookAt(row, all || len(buf) == HeadSize)
	if newline == 0 && !all && len(buf) < HeadSize {
		return d, false
	}
	if d.newline == 0 {
		if d.newline = '\n'; newline == '\r' {
			d.newline = '\r'
		}
	}
	if d.comma == 0 {
		switch d.comma = ','; {
		case len(separator) > 0:
			d.comma = bytes.TrimPrefix(TrimBOM(separator), separatorBegin)[0]
		case len(seen) == 1:
			d.comma = seen[0]
		}
	}
	return d, true
}

// completed is dialect.completed, where a first row that is no header says nothing about
// delimiters.
func (f *csvRows) completed(buf []byte, all bool) (d dialect, ok bool) {
	if d = f.dialect; d.comma == 0 && !f.header && len(separatorLine(buf)) == 0 &&
		(all || len(buf) >= HeadSize || !isBegunSeparator(buf)) {
		d.comma = ','
	}
	return d.completed(buf, all)
}

// lookAt returns which delimiters, commas among them, stand outside of quotes in the first row, and
// what ends it: a newline, or a carriage return that no newline follows. 0 if it has not ended in
// row, which may be all there is.
func (d dialect) lookAt(row []byte, all bool) (seen []byte, newline byte) {
	quoted, atStart := false, true // of a field
	for i := 0; i < len(row); i++ {
		switch c := row[i]; {
		case quoted && d.escape != 0 && c == d.escape:
			i++
		case !d.raw && c == '"' && (quoted || atStart):
			quoted = !quoted
			atStart = !quoted // a quote that is written twice goes on
		case quoted:
		case c == '\n':
			return seen, c
		case c == '\r' && i+1 < len(row) && row[i+1] != '\n':
			return seen, c
		case c == '\r' && i+1 == len(row) && !all:
			return seen, 0 // a newline may follow
		case c == ',' || d.comma != 0 && c == d.comma || strings.IndexByte(delimiters, c) >= 0:
			atStart = true
			if bytes.IndexByte(seen, c) < 0 {
				seen = append(seen, c)
			}
		default:
			atStart = false
		}
	}
	return seen, 0
}

// separatorBegin is what the line begins with by which Excel is told the delimiter.
var separatorBegin = []byte("sep=")

// separatorLine returns that line, if an input begins with one, with what ends it.
func separatorLine(buf []byte) []byte {
	rest, is := bytes.CutPrefix(TrimBOM(buf), separatorBegin)
	if !is || len(rest) < 2 || strings.IndexByte("\x00\n\r\"", rest[0]) >= 0 { // these separate no fields
		return nil
	}
	end := len(buf) - len(rest) + 1
	switch {
	case rest[1] == '\n':
		return buf[:end+1]
	case rest[1] == '\r' && len(rest) > 2 && rest[2] == '\n':
		return buf[:end+2]
	case rest[1] == '\r' && len(rest) > 2:
		return buf[:end+1]
	}
	return nil
}

// isBegunSeparator reports whether buf may be the beginning of such a line.
func isBegunSeparator(buf []byte) bool {
	rest := TrimBOM(buf)
	if len(rest) < len(separatorBegin) {
		return bytes.HasPrefix(separatorBegin, rest)
	}
	return bytes.HasPrefix(rest, separatorBegin) && len(rest) < len(separatorBegin)+3 &&
		(len(rest) < len(separatorBegin)+2 || rest[len(separatorBegin)+1] == '\r')
}

// isUTF16 reports whether an input begins with the byte order mark of UTF-16, or with two ASCII
// characters of it. It looks at the first row alone, so that it depends on nothing that was read
// beyond that.
func isUTF16(buf []byte) bool {
	if bytes.HasPrefix(buf, []byte("\xff\xfe")) || bytes.HasPrefix(buf, []byte("\xfe\xff")) {
		return true
	}
	return len(buf) > 3 && !bytes.ContainsAny(buf[:4], "\r\n") &&
		buf[0] != 0 && buf[1] == 0 && buf[2] != 0 && buf[3] == 0
}

// ErrUTF16 is returned for an input that is to be decoded first.
var ErrUTF16 error = fatalError{
	errors.New("it is UTF-16: give --encoding utf-16, or utf-16le without a byte order mark"),
}
