package record

import (
	"cmp"
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
	kind  Kind
	field uint16 // index into the fields, where the kind speaks of one; of cutOff, the kind without that
}

// Problems that a RecordReader finds by itself; field is the number of the field.
func FieldMissing(field int) Problem { return Problem{KindNoField, uint16(field)} }
func FieldNull(field int) Problem    { return Problem{KindNull, uint16(field)} }

// NoText is the problem of a record in which there is nothing to compare, and TooLong that of one
// which is longer than the user allows.
var NoText, TooLong = Problem{kind: KindEmptyText}, Problem{kind: KindTooLong}

// NotTokens is the problem of a record that has no list of integers where its tokens should be.
var NotTokens = Problem{kind: KindNotTokens}

// NotRead is the problem of a record that cannot be read to its end.
var NotRead = Problem{kind: KindNotRead}

// BadPayload is the problem of a record whose text is encoded, and not as it says.
var BadPayload = Problem{kind: KindBadPayload}

// NoTime is the problem of a record that does not say when it was made, where that is needed.
var NoTime = Problem{kind: KindNoTime}

// Annotated is the problem of a record that has a member already which is to be added to it:
// readers would differ in which of the two counts.
var Annotated = Problem{kind: KindAnnotated}

type Kind uint8

const (
	KindReadable Kind = iota
	KindEmptyText
	KindBlankLine
	KindBadJSON
	KindNotObject
	KindNoField
	KindNotString
	KindTooLong
	KindBadRow
	KindRowLength
	KindNotRead
	KindBadPayload
	KindNull
	KindAnnotated
	KindNoTime
	KindCutOff
	// From here on they are of vectors and tokens.
	KindNotVector
	KindVectorLength
	KindNotFinite
	KindZeroVector
	KindNotTokens // of tokens
	KindNotUTF8   // of what is to be converted
	KindNotFramed // of messages
	KindTooDeep   // of JSON
	Kinds         // their number
)

// kindNames are the keys of Stats.Rejects.
var kindNames = [Kinds]string{
	KindReadable: "readable", KindEmptyText: "empty text", KindBlankLine: "blank line", KindBadJSON: "not valid JSON",
	KindNotObject: "not a JSON object", KindNoField: "field missing", KindNotString: "field not a string",
	KindTooLong: "too long",
	KindBadRow:  "not valid CSV", KindRowLength: "row of another length", KindNotRead: "not read to its end",
	KindBadPayload: "payload not decodable", KindNull: "field null",
	KindAnnotated: "annotated already", KindNoTime: "no time", KindCutOff: "cut off",
	KindNotVector: "not a vector", KindVectorLength: "vector of another length", KindNotFinite: "vector not finite",
	KindZeroVector: "vector of zeroes", KindNotTokens: "not a list of integers", KindNotUTF8: "not UTF-8",
	KindNotFramed: "without the number of a schema", KindTooDeep: "nested too deep",
}

// kindTexts are the kinds in the words of messages.
var kindTexts = [Kinds]string{
	KindReadable:     "the record is readable",
	KindEmptyText:    "the text has nothing to compare",
	KindBlankLine:    "the {unit} is blank",
	KindBadJSON:      "the {unit} is not valid JSON",
	KindNotObject:    "the {unit} is JSON, but not an object",
	KindNoField:      "{field} is missing",
	KindNotString:    "{field} is not a string",
	KindTooLong:      "the record is longer than max-record, {max} bytes",
	KindBadRow:       "quotes are not closed, or something stands after them",
	KindRowLength:    "the row has not as many fields as the first one",
	KindNotRead:      "the {unit} cannot be read to its end",
	KindBadPayload:   "the payload cannot be decoded as its headers say",
	KindNull:         "{field} is null",
	KindAnnotated:    "the {unit} has a member of --annotate already",
	KindNoTime:       "the {unit} has no time that can be read",
	KindCutOff:       ErrCutOff.Error(),
	KindNotVector:    "the vector is not a list of numbers",
	KindVectorLength: "the vector has another length than the first one",
	KindNotFinite:    "a value of the vector is not a finite float32",
	KindZeroVector:   "all values of the vector are zero",
	KindNotTokens:    "the tokens are not a list of integers",
	KindTooDeep:      "the {unit} has values that are nested more than 4,096 deep",
	KindNotFramed: "the {unit} does not begin with a zero and the four bytes of a schema's number, as --value-format " +
		"confluent-json has it",
	KindNotUTF8: "the {unit} has invalid UTF-8 or a lone surrogate{where}, so it cannot be converted: give " +
		"{encoding}--invalid-utf8 replace",
}

// String returns the name of the kind, under which Stats.Rejects counts it.
func (k Kind) String() string { return kindNames[k] }

// KindNamed returns the kind with that name. ok is false if no kind has it.
func KindNamed(name string) (k Kind, ok bool) {
	i := slices.Index(kindNames[:], name)
	return Kind(max(0, i)), i >= 0
}

// Kind returns what sort of problem it is.
func (p Problem) Kind() Kind { return p.kind }

// IsReadable reports whether there is no problem: the record has a text.
func (p Problem) IsReadable() bool { return p.kind == KindReadable }

// ProblemNames are the kinds of problems of records with texts, as Problem.Name calls them. A
// sketch file begins with them: names of problems of vectors would have older programs refuse it.
func ProblemNames() []string { return slices.Clone(kindNames[KindEmptyText:KindNotVector]) }

// Name returns the name of the kind of problem.
func (p Problem) Name() string { return kindNames[p.kind] }

// IsCutOff reports whether the input ends in the middle of the record.
func (p Problem) IsCutOff() bool { return p.kind == KindCutOff }

// WithoutCutOff is the problem that the record has by itself, wherever its input ends.
func (p Problem) WithoutCutOff() Problem {
	if p.kind == KindCutOff && p.field < uint16(Kinds) {
		return Problem{kind: Kind(p.field)}
	}
	return p
}

// ProblemNamed is the problem of that kind; which field it is about is not known. ok is false if
// there is no such kind.
func ProblemNamed(name string) (p Problem, ok bool) {
	k := slices.Index(kindNames[KindEmptyText:], name)
	return Problem{Kind(k + int(KindEmptyText)), unknownField}, k >= 0
}

// unknownField is the number of an unknown field.
const unknownField = math.MaxUint16

// NotUTF8 is the problem of a record that has bytes which are in no character, where it is to leave
// in another form. at is where the first of them is in the record; if that is not known it is −1.
func NotUTF8(at int) Problem {
	if at < 0 || at >= unknownField {
		at = unknownField
	}
	return Problem{KindNotUTF8, uint16(at)}
}

// IsNotUTF8 reports whether the record has bytes or escapes that are in no character.
func (p Problem) IsNotUTF8() bool { return p.kind == KindNotUTF8 }

// IsTextProblem reports whether the record is valid, and only its text, vector or time is not.
func (p Problem) IsTextProblem() bool { return p.kind.IsTextProblem() }

// IsTextProblem is the same of all problems of a kind.
func (k Kind) IsTextProblem() bool {
	switch k {
	case KindEmptyText, KindNoField, KindNotString, KindNull, KindNoTime, KindNotTokens, KindNotVector,
		KindVectorLength, KindNotFinite, KindZeroVector:
		return true
	}
	return false
}

// Describe puts the problem into words for a message such as "stdin:12: field "text" is missing".
func (p Problem) Describe(f Format, maxRecord int) string {
	unit, field, where := UnitOf(f), "a field", ""
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

// UnitOf is what a record of the format is called: a line, a row, an element.
func UnitOf(f Format) string {
	return cmp.Or(f.Unit(), "line")
}

// IsFormatProblem reports whether the wrong format or field is the likely reason if all records
// have the problem.
func (p Problem) IsFormatProblem() bool {
	switch p.kind {
	case KindBadJSON, KindNotObject, KindNoField, KindNotString, KindNull, KindBadRow, KindRowLength, KindAnnotated,
		KindNoTime, KindCutOff, KindNotUTF8, KindNotFramed, KindNotTokens:
		return true
	}
	return false
}
