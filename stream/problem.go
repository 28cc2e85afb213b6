package stream

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Problem is why a record has no text to compare; the zero Problem means that it has one. It is
// small, so that workers can note it for each record and only what is reported is ever put into
// words.
type Problem struct {
	kind  kind
	field uint16 // index into the fields, where the kind speaks of one; of cutOff, the kind without that
}

// Problems that a RecordReader finds by itself; field is the number of the field.
func FieldMissing(field int) Problem { return Problem{noField, uint16(field)} }
func FieldNull(field int) Problem    { return Problem{isNull, uint16(field)} }

// NoText is the problem of a record in which there is nothing to compare, and TooLong that of one
// which is longer than the user allows.
var NoText, TooLong = Problem{kind: emptyText}, Problem{kind: tooLong}

// NotTokens is the problem of a record that has no list of integers where its tokens should be.
var NotTokens = Problem{kind: notTokens}

// BadPayload is the problem of a record whose text is encoded, and not as it says.
var BadPayload = Problem{kind: badPayload}

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
	badRow
	rowLength
	notRead
	badPayload
	isNull
	annotated
	noTime
	cutOff
	// From here on they are of vectors and tokens.
	notVector
	vectorLength
	notFinite
	zeroVector
	notTokens // of tokens
	notUTF8   // of what is to be converted
	notFramed // of messages
	kinds     // their number
)

// kindNames are the keys of Stats.Rejects.
var kindNames = [kinds]string{
	readable: "readable", emptyText: "empty text", blankLine: "blank line", badJSON: "not valid JSON",
	notObject: "not a JSON object", noField: "field missing", notString: "field not a string", tooLong: "too long",
	badRow: "not valid CSV", rowLength: "row of another length", notRead: "not read to its end",
	badPayload: "payload not decodable", isNull: "field null",
	annotated: "annotated already", noTime: "no time", cutOff: "cut off",
	notVector: "not a vector", vectorLength: "vector of another length", notFinite: "vector not finite",
	zeroVector: "vector of zeroes", notTokens: "not a list of integers", notUTF8: "not UTF-8",
	notFramed: "without the number of a schema",
}

// kindTexts are the kinds in the words of messages.
var kindTexts = [kinds]string{
	readable:     "the record is readable",
	emptyText:    "the text has nothing to compare",
	blankLine:    "the {unit} is blank",
	badJSON:      "the {unit} is not valid JSON",
	notObject:    "the {unit} is JSON, but not an object",
	noField:      "{field} is missing",
	notString:    "{field} is not a string",
	tooLong:      "the record is longer than max-record, {max} bytes",
	badRow:       "quotes are not closed, or something stands after them",
	rowLength:    "the row has not as many fields as the first one",
	notRead:      "the {unit} cannot be read to its end",
	badPayload:   "the payload cannot be decoded as its headers say",
	isNull:       "{field} is null",
	annotated:    "the {unit} has a member of --annotate already",
	noTime:       "the {unit} has no time that can be read",
	cutOff:       ErrCutOff.Error(),
	notVector:    "the vector is not a list of numbers",
	vectorLength: "the vector has another length than the first one",
	notFinite:    "a value of the vector is no number that is finite as float32",
	zeroVector:   "all values of the vector are zero",
	notTokens:    "the tokens are not a list of integers",
	notFramed: "the {unit} does not begin with a zero and the four bytes of a schema's number, as --value-format " +
		"confluent-json has it",
	notUTF8: "the {unit} has invalid UTF-8 or a lone surrogate{where}, so it cannot be converted: give " +
		"{encoding}--invalid-utf8 replace",
}

// ProblemNames are the kinds of problems of records with texts, as Problem.Name calls them. A
// sketch file begins with them: names of problems of vectors would have older programs refuse it.
func ProblemNames() []string { return slices.Clone(kindNames[emptyText:notVector]) }

// Name returns the name of the kind of problem.
func (p Problem) Name() string { return kindNames[p.kind] }

// IsCutOff reports whether the input ends in the middle of the record.
func (p Problem) IsCutOff() bool { return p.kind == cutOff }

// AsItStands is the problem that the record has by itself, wherever its input ends.
func (p Problem) AsItStands() Problem {
	if p.kind == cutOff && p.field < uint16(kinds) {
		return Problem{kind: kind(p.field)}
	}
	return p
}

// ProblemNamed is the problem of that kind; which field it is about is not known. ok is false if
// there is no such kind.
func ProblemNamed(name string) (p Problem, ok bool) {
	k := slices.Index(kindNames[emptyText:], name)
	return Problem{kind(k + int(emptyText)), unknownField}, k >= 0
}

// unknownField is the number of an unknown field.
const unknownField = math.MaxUint16

// NotUTF8 is the problem of a record that has bytes which are in no character, where it is to leave
// in another form. at is where the first of them is in the record; if that is not known it is −1.
func NotUTF8(at int) Problem {
	if at < 0 || at >= unknownField {
		at = unknownField
	}
	return Problem{notUTF8, uint16(at)}
}

// IsNotUTF8 reports whether the record has bytes or escapes that are in no character.
func (p Problem) IsNotUTF8() bool { return p.kind == notUTF8 }

// isOfText reports whether only the text is missing, or the time, in a record that is whole.
func (p Problem) isOfText() bool {
	return p.kind == emptyText || p.kind == noField || p.kind == notString || p.kind == isNull ||
		p.kind == noTime || p.kind == notTokens || p.isOfVector()
}

// isOfVector reports whether the record is whole, and its vector cannot be compared.
func (p Problem) isOfVector() bool {
	return p.kind == notVector || p.kind == vectorLength || p.kind == notFinite || p.kind == zeroVector
}

// describe puts the problem into words for a message such as "stdin:12: field "text" is missing".
func (p Problem) describe(f Format, maxRecord int) string {
	unit, field, where := unitOf(f), "a field", ""
	encoding := "--encoding, as latin-1 or cp1252, or "
	if rows, ok := f.(framed); ok && rows.rows {
		encoding = "" // files of columns are UTF-8 by definition
	}
	if p.field != unknownField {
		where = fmt.Sprintf(", the first at byte %d", p.field)
	}
	if names := f.fieldNames(); int(p.field) < len(names) {
		field = fmt.Sprintf("field %q", names[p.field])
	}
	return strings.NewReplacer("{unit}", unit, "{field}", field, "{max}", strconv.Itoa(maxRecord), "{where}", where,
		"{encoding}", encoding).Replace(kindTexts[p.kind])
}

// unitOf is what a record is called.
func unitOf(f Format) string {
	return cmp.Or(f.unit(), "line")
}

// A Place is where in the input something was noticed first.
type Place struct {
	Input   string `json:"input"`
	Unit    string `json:"unit,omitempty"` // what a record is, where it is not a line
	Record  uint64 `json:"record"`         // 1-based
	Problem string `json:"problem"`
	// Spoiled says of an input that what was read of it before that place may be wrong, too.
	Spoiled bool `json:"spoiled,omitempty"`
}

// A spoiler is an error of an input that may spoil what was read of it before.
type spoiler interface{ Spoils() bool }

// spoils reports whether an error of an input does so.
func spoils(err error) bool {
	var s spoiler
	return errors.As(err, &s) && s.Spoils()
}

func (p Place) String() string {
	switch {
	case p.Unit == fileUnit, p.Record == 0:
		return fmt.Sprintf("%s: %s", p.Input, p.Problem)
	case p.Unit == "":
		return fmt.Sprintf("%s:%d: %s", p.Input, p.Record, p.Problem)
	}
	return fmt.Sprintf("%s: %s %d: %s", p.Input, p.Unit, p.Record, p.Problem)
}
