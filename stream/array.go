package stream

import (
	"bytes"
	"errors"
)

// JSONArray is one array, of which each element is a record. The text is what the fields hold, with
// a newline between two of them.
func JSONArray(fields []Field) Format { return jsonArray{jsonRecords{fields: fields}} }

type jsonArray struct{ jsonRecords }

func (jsonArray) newCutter() cutter   { return &arrayCutter{} }
func (f jsonArray) newParser() parser { return &elementParser{f.newText()} }
func (jsonArray) unit() string        { return "element" }
func (jsonArray) frame() frame        { return frame{"[\n", ",\n", "\n]\n"} }

func (jsonArray) convert() func(dst, record []byte, t *table) []byte { return appendOnOneLine }

// A place in an array.
type arrayPlace uint8

const (
	beforeArray arrayPlace = iota
	beforeFirst            // after the bracket that opens the array
	beforeElement
	insideElement
	afterElement
	afterArray
)

// arrayCutter finds the ends of elements. It follows strings and brackets; whether an element is
// valid JSON is found out later.
type arrayCutter struct {
	place   arrayPlace
	cutAt   arrayPlace // the place after the last element that find has returned
	start   int        // of the element in buf
	element elementScanner
}

// lead is what stands before the first element.
func (*arrayCutter) lead(block []byte) (int, *table, error) {
	return bytes.IndexByte(block, '[') + 1, nil, nil
}

// resume goes on after an element.
func (a *arrayCutter) resume([]byte) (*table, error) {
	a.cutAt = afterElement
	return nil, nil
}

func (a *arrayCutter) restart() { a.place = a.cutAt }

func (a *arrayCutter) find(buf []byte, seen int, first bool) (end int, err error) {
	for i, found := seen, 0; i < len(buf); {
		if a.place == insideElement {
			n, ended := a.element.skip(buf[i:])
			i += n
			if !ended {
				break
			}
			a.place, a.cutAt, end = afterElement, afterElement, i
			if found++; first || found == mostRecords {
				return end, nil
			}
			continue
		}
		if err := a.step(buf, i); err != nil {
			return end, err
		}
		if a.place != insideElement {
			i++
		}
	}
	return end, nil
}

// step goes over one byte between elements, or to the beginning of one.
func (a *arrayCutter) step(buf []byte, i int) error {
	c := buf[i]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
	case a.place == beforeArray && c == '[':
		a.place = beforeFirst
	case a.place == beforeArray && i < len(byteOrderMark) && c == byteOrderMark[i]:
	case a.place == beforeArray:
		return errors.New("it does not begin with [, as one JSON array would: is it JSON Lines (--format jsonl)?")
	case (a.place == beforeFirst || a.place == afterElement) && c == ']':
		a.place = afterArray
	case a.place == afterElement && c == ',':
		a.place = beforeElement
	case a.place == afterElement:
		return errors.New("there is neither , nor ] after the element")
	case a.place == afterArray:
		return errors.New("something stands after the array")
	case c == ',' || c == ']':
		return errors.New("an element is missing")
	default:
		a.place, a.start = insideElement, i
		a.element = elementScanner{}
	}
	return nil
}

func (a *arrayCutter) pending(buf []byte) int {
	if a.place != insideElement {
		return 0
	}
	return len(buf) - a.start
}

func (a *arrayCutter) end([]byte) ([]byte, error) {
	switch a.place {
	case afterArray:
		return nil, nil
	case beforeArray:
		return nil, errors.New("the array is not closed")
	case insideElement:
		return nil, cutOffError("the input ends in the middle of an element")
	}
	return nil, cutOffError("the input ends before its array is closed")
}

func (*arrayCutter) terminator() []byte { return nil }

// elementScanner looks for the end of a JSON value that comes block by block.
type elementScanner struct {
	depth    int
	inString bool
	escaped  bool // the byte before was a backslash
	scalar   bool // inside a number or a literal
}

// skip returns how many bytes belong to the value, and whether it ended with them.
func (s *elementScanner) skip(b []byte) (n int, ended bool) {
	for i := 0; i < len(b); {
		if s.inString {
			if i = s.skipString(b, i); !s.inString && s.depth == 0 {
				return i, true
			}
			continue
		}
		switch c := b[i]; c {
		case '"':
			s.inString = true
		case '{', '[':
			s.depth++
		case '}', ']', ',', ' ', '\t', '\n', '\r':
			if s.scalar && s.depth == 0 {
				return i, true
			}
			if c == '}' || c == ']' {
				if s.depth--; s.depth <= 0 {
					return i + 1, true
				}
			}
		default:
			s.scalar = s.depth == 0
		}
		i++
	}
	return len(b), false
}

// skipString goes on inside a string and returns the index after its end.
func (s *elementScanner) skipString(b []byte, i int) int {
	if s.escaped {
		s.escaped = false
		i++
	}
	quote := i - 1
	for i < len(b) {
		if quote < i {
			if quote = bytes.IndexByte(b[i:], '"'); quote < 0 {
				quote = len(b)
			} else {
				quote += i
			}
		}
		backslash := bytes.IndexByte(b[i:quote], '\\')
		if backslash < 0 {
			if i = quote; i < len(b) {
				s.inString = false
				i++
			}
			return i
		}
		if i += backslash + 2; i > len(b) {
			s.escaped = true
			return len(b)
		}
	}
	return i
}

// elementParser takes the text out of elements.
type elementParser struct{ *jsonText }

func (*elementParser) next(buf []byte, at int) (start, body, end int) {
	for at = skipSpace(buf, at); at < len(buf) && buf[at] == ','; at = skipSpace(buf, at) {
		at++
	}
	if at == len(buf) || buf[at] == ']' {
		return len(buf), len(buf), len(buf)
	}
	var element elementScanner
	n, _ := element.skip(buf[at:])
	return at, at + n, at + n
}
