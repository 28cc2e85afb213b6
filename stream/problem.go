package stream

import (
	"fmt"
	"strings"
)

// A problem is why a record has no text to compare; the zero problem means that it has one. It is small, so that
// workers can note it for each record and only what is reported is ever put into words.
type problem struct {
	kind  kind
	field uint16 // index into the fields, where the kind speaks of one
}

type kind uint8

const (
	readable kind = iota
	emptyText
	blankLine
	badJSON
	notObject
	noField
	notString
	tooLong
	kinds // their number
)

// kindNames are the keys of Stats.Rejects.
var kindNames = [kinds]string{
	readable: "readable", emptyText: "empty text", blankLine: "blank line", badJSON: "not valid JSON",
	notObject: "not a JSON object", noField: "field missing", notString: "field not a string", tooLong: "too long",
}

// describe puts the problem into words for a message such as "stdin:12: field "text" is missing".
func (p problem) describe(fields []string, maxRecord int) string {
	switch p.kind {
	case emptyText:
		return "the text has no letter or digit to compare"
	case blankLine:
		return "the line is blank"
	case badJSON:
		return "the line is not valid JSON"
	case notObject:
		return "the line is JSON, but not an object"
	case noField:
		return fmt.Sprintf("field %q is missing", fields[p.field])
	case notString:
		return fmt.Sprintf("field %q is not a string", fields[p.field])
	case tooLong:
		return fmt.Sprintf("the record is longer than max-record, %d bytes", maxRecord)
	}
	return "the record is readable"
}

// A Place is where in the input something was noticed first.
type Place struct {
	Input   string `json:"input"`
	Line    uint64 `json:"line"` // 1-based
	Problem string `json:"problem"`
}

func (p Place) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s", p.Input, p.Line, p.Problem)
	return b.String()
}
