package record

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// JSONArray is a single array whose elements are the records, or a series of objects that are each
// a record: a document alone, objects of several lines, a sequence of JSON texts (RFC 7464). Texts
// are found as in JSONLines.
func JSONArray(fields []Field) Format { return jsonArray{jsonRecords: jsonRecords{fields: fields}} }

// JSONArrayAt is an object with an array of records in it: path has the names of the members that
// lead to it. What else is in the object is passed over, and is not written.
func JSONArrayAt(path []string, fields []Field) Format {
	return jsonArray{jsonRecords{fields: fields}, path}
}

type jsonArray struct {
	jsonRecords
	path []string // to the array; none if that is all there is
}

func (f jsonArray) NewSplitter() Splitter { return &arraySplitter{path: f.path} }
func (f jsonArray) NewParser(names ...string) Parser {
	return &elementParser{f.newText(names)}
}
func (jsonArray) Unit() string { return "element" }
func (jsonArray) Frame() Frame { return ArrayFrame }

// ArrayFrame is what stands around the elements of an array.
var ArrayFrame = Frame{"[\n", ",\n", "\n]\n"}

func (jsonArray) NewConverter() func(dst, record []byte, t *Table) []byte { return appendOnOneLine }

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

// arraySplitter finds the ends of elements. It follows strings and brackets; whether an element is
// valid JSON is found out later.
type arraySplitter struct {
	path    []string       // to the array
	rest    elementScanner // of the objects around it
	isBare  bool           // there is no array around the elements
	place   arrayPlace
	cutAt   arrayPlace // the place after the last element that find has returned
	start   int        // of the element in buf
	element elementScanner
}

// Head is what stands before the first element.
func (a *arraySplitter) Head(block []byte) (int, *Table, error) {
	if len(a.path) == 0 {
		if at, isBare := opening(block); isBare {
			return at, nil, nil
		}
		return bytes.IndexByte(block, '[') + 1, nil, nil
	}
	at, err := findArray(block, a.path)
	return at, nil, err
}

// Resume goes on after an element.
func (a *arraySplitter) Resume(head []byte) (*Table, error) {
	a.cutAt = afterElement
	if len(a.path) == 0 {
		_, a.isBare = opening(head)
	}
	return nil, nil
}

// opening returns where the first element or the array begins, and whether it is an element.
func opening(head []byte) (at int, isBare bool) {
	at = bytes.IndexAny(head, "[{")
	return at, at >= 0 && head[at] == '{'
}

// textBegins stands before each text of a sequence of JSON texts.
const textBegins = '\x1e'

func (a *arraySplitter) Restart() { a.place = a.cutAt }

func (a *arraySplitter) FindEnd(buf []byte, seen int, first bool) (end int, err error) {
	i := seen
	if a.place == beforeArray && len(a.path) > 0 {
		if i, err = findArray(buf, a.path); i == 0 {
			return 0, a.tooFar(buf, err)
		}
		a.place = beforeFirst
	}
	for found := 0; i < len(buf); {
		if a.place == afterArray && a.rest.depth > 0 {
			n, _ := a.rest.skip(buf[i:])
			if i += n; i > mostAfterArray {
				return end, fmt.Errorf("more than %d bytes follow the array", mostAfterArray)
			}
			continue
		}
		if a.place == insideElement {
			n, ended := a.element.skip(buf[i:])
			i += n
			if !ended {
				break
			}
			a.place, a.cutAt, end = afterElement, afterElement, i
			if found++; first || found == MaxRecords {
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
func (a *arraySplitter) step(buf []byte, i int) error {
	c := buf[i]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
	case a.place == beforeArray && c == '[':
		a.place = beforeFirst
	case c == textBegins && (a.isBare || a.place == beforeArray && len(a.path) == 0):
		a.isBare = true
	case a.place == beforeArray && c == '{' && len(a.path) == 0, a.isBare && c == '{':
		a.isBare, a.place, a.start = true, insideElement, i
		a.element = elementScanner{}
	case a.isBare:
		return errors.New("something that is no object stands between its objects")
	case a.place == beforeArray && i < len(bom) && c == bom[i]:
	case a.place == beforeArray:
		return errors.New("it does not begin with [, as one JSON array would: is it JSON Lines (--format jsonl)?")
	case (a.place == beforeFirst || a.place == afterElement) && c == ']':
		a.place, a.rest = afterArray, elementScanner{depth: len(a.path)}
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

func (a *arraySplitter) Pending(buf []byte) int {
	if a.place != insideElement {
		return 0
	}
	return len(buf) - a.start
}

func (a *arraySplitter) Finish([]byte) ([]byte, error) {
	switch a.place {
	case afterArray:
		if a.rest.depth > 0 {
			return nil, cutOffError("the input ends within the object around its array")
		}
		return nil, nil
	case beforeArray:
		return nil, errors.New("the array is not closed")
	case afterElement:
		if a.isBare {
			return nil, nil
		}
	case insideElement:
		return nil, cutOffError("the input ends in the middle of an element")
	}
	return nil, cutOffError("the input ends before its array is closed")
}

func (*arraySplitter) Terminator() []byte { return nil }

// mostAfterArray bounds what may stand between an array and the end of the object that it is in.
const mostAfterArray = 16 << 20

// findArray returns the index after the bracket that opens the array which a path leads to; 0 if
// buf ends before.
func findArray(buf []byte, path []string) (at int, err error) {
	i := jsontext.SkipSpace(buf, len(buf)-len(TrimBOM(buf)))
	for _, name := range path {
		if i == len(buf) {
			return 0, nil
		}
		if buf[i] != '{' {
			return 0, fmt.Errorf("there is no object with a member %q: --records names the members that "+
				"lead to the array", name)
		}
		if i, err = findValue(buf, i+1, name); i == 0 {
			return 0, err
		}
	}
	if buf[i] != '[' {
		return 0, fmt.Errorf("what is called %s is no array", strings.Join(path, "."))
	}
	return i + 1, nil
}

// findValue returns where the value of a member begins, in an object whose members begin at i; 0 if
// buf ends before.
func findValue(buf []byte, i int, name string) (at int, err error) {
	var scratch []byte
	for {
		if i = jsontext.SkipSpace(buf, i); i == len(buf) {
			return 0, nil
		}
		if buf[i] == '}' {
			return 0, fmt.Errorf("there is no member %q", name)
		}
		key, end := jsontext.Unquote(&scratch, buf, i)
		if buf[i] != '"' || end < 0 && bytes.IndexByte(buf[i:], '\n') >= 0 {
			return 0, errors.New("it is not valid JSON before the array of records")
		}
		if end < 0 {
			return 0, nil
		}
		if i = jsontext.SkipSpace(buf, end); i == len(buf) {
			return 0, nil
		}
		if i = jsontext.SkipSpace(buf, i+1); i == len(buf) { // after the colon
			return 0, nil
		}
		if string(key) == name {
			return i, nil
		}
		var value elementScanner
		n, ended := value.skip(buf[i:])
		if i = jsontext.SkipSpace(buf, i+n); !ended || i == len(buf) {
			return 0, nil
		}
		if buf[i] == ',' {
			i++
		}
	}
}

// tooFar is the error of an array that does not begin where it is looked for.
func (a *arraySplitter) tooFar(buf []byte, err error) error {
	if err == nil && len(buf) > HeadSize {
		err = fmt.Errorf("the array %s does not begin within %d bytes", strings.Join(a.path, "."), HeadSize)
	}
	return err
}

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

func (*elementParser) Next(buf []byte, at int) (start, body, end int) {
	at = jsontext.SkipSpace(buf, at)
	for at < len(buf) && (buf[at] == ',' || buf[at] == textBegins) {
		at = jsontext.SkipSpace(buf, at+1)
	}
	if at == len(buf) || buf[at] == ']' {
		return len(buf), len(buf), len(buf)
	}
	var element elementScanner
	n, _ := element.skip(buf[at:])
	return at, at + n, at + n
}
