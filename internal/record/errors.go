package record

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// ErrCutOff says that an input ends in the middle of a record, as one does whose writer has died.
// A line or a row that is the last one is a record that cannot be read; an array, or an archive, is
// an input that cannot be read to its end.
var ErrCutOff = errors.New("the input ends in the middle of a record")

// CutOff makes the problem of the last record of an input, which nothing terminates, one of the
// input where it is a record that has only begun.
func CutOff(parser Parser, body []byte, p Problem) Problem {
	if p.kind == KindReadable || !parser.IsTruncated(body, p) {
		return p
	}
	return Problem{kind: KindCutOff, field: uint16(p.kind)}
}

// Overlong is the problem of a record that begins with more bytes than the user allows. It may be
// seen from these bytes that it would be none if it were shorter.
func Overlong(parser Parser, beginning []byte, maxRecord int) Problem {
	if of, ok := parser.(interface {
		overlong(beginning []byte) Problem
	}); ok {
		return of.overlong(TrimBOM(beginning[:min(len(beginning), maxRecord)]))
	}
	return TooLong
}

// overlong tells an object from other values.
func (*jsonText) overlong(beginning []byte) Problem {
	switch start := jsontext.SkipSpace(beginning, 0); {
	case start == len(beginning) || beginning[start] == '{':
		return TooLong
	case beginning[start] == '[' || beginning[start] == '"':
		return Problem{kind: KindNotObject}
	}
	return Problem{kind: KindBadJSON}
}

// IsTruncated reports whether an object has begun that does not end.
func (*jsonText) IsTruncated(body []byte, p Problem) bool {
	start := jsontext.SkipSpace(body, 0)
	if p.kind != KindBadJSON || start == len(body) || body[start] != '{' {
		return false
	}
	var object elementScanner
	_, ended := object.skip(body[start:])
	return !ended
}

// IsTruncated reports whether the row ends inside quotes, or before its last field.
func (p *rowParser) IsTruncated(body []byte, why Problem) bool {
	switch why.kind {
	case KindBadRow:
		p.rows.restart()
		p.rows.scan(body, 0, false)
		return p.rows.quoted
	case KindRowLength:
		return len(p.spans) < len(p.table.Names)
	}
	return false
}

func (textParser) IsTruncated([]byte, Problem) bool { return false }

// cutOffError is ErrCutOff in the words of a format.
type cutOffError string

func (e cutOffError) Error() string { return string(e) }

// Is reports that it is ErrCutOff.
func (cutOffError) Is(target error) bool { return target == ErrCutOff }

// Fatal marks an error of a RecordReader after which the run cannot continue with the next input,
// such as one in the middle of a record whose first pieces were written.
func Fatal(err error) error { return fatalError{err} }

// A fatalError is one that no other input makes good.
type fatalError struct{ error }

// IsFatal reports whether an error was marked by Fatal.
func IsFatal(err error) bool { return errors.As(err, new(fatalError)) }

func (e fatalError) Unwrap() error { return e.error }
