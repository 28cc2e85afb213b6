package stream

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// ErrCutOff says that an input ends in the middle of a record, as one does whose writer has died.
// A line or a row that is the last one is a record that cannot be read; an array, or an archive, is
// an input that cannot be read to its end.
var ErrCutOff = errors.New("the input ends in the middle of a record")

// atCut makes the problem of the last record of an input, which nothing terminates, one of the
// input where it is a record that has only begun.
func atCut(parser parser, body []byte, p Problem) Problem {
	if p.kind == readable || !parser.hasBegun(body, p) {
		return p
	}
	return Problem{kind: cutOff, field: uint16(p.kind)}
}

// hasBegun reports whether an object has begun that does not end.
func (*jsonText) hasBegun(body []byte, p Problem) bool {
	start := jsontext.SkipSpace(body, 0)
	if p.kind != badJSON || start == len(body) || body[start] != '{' {
		return false
	}
	var object elementScanner
	_, ended := object.skip(body[start:])
	return !ended
}

// hasBegun reports whether the row ends inside quotes, or before its last field.
func (p *rowParser) hasBegun(body []byte, why Problem) bool {
	switch why.kind {
	case badRow:
		p.rows.restart()
		p.rows.scan(body, 0, false)
		return p.rows.quoted
	case rowLength:
		return len(p.spans) < len(p.table.names)
	}
	return false
}

func (textParser) hasBegun([]byte, Problem) bool { return false }

// cutOffError is ErrCutOff in the words of a format.
type cutOffError string

func (e cutOffError) Error() string { return string(e) }

// Is reports that it is ErrCutOff.
func (cutOffError) Is(target error) bool { return target == ErrCutOff }
