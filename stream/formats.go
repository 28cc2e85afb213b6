package stream

import "github.com/mithril-stream/mithril-stream/internal/record"

// A Format says how records are encoded in an input and an output: JSONLines, JSONArray, CSV, TSV,
// Text, Events or Framed.
type Format = record.Format

// A Field is the path of a value in a JSON record, such as `text` or `messages[].content`.
type Field = record.Field

// A Problem says why a record has no text to compare. The zero Problem means that it has one.
type Problem = record.Problem

// Omissions are values that a record's fields lead to but that are not part of its text.
type Omissions = record.Omissions

// A Span is a part of a buffer.
type Span = record.Span

// A RowUnion is the union of the columns of all inputs, for Source.Union.
type RowUnion = record.RowUnion

// A CharCheck says which bytes records must not contain, for Form.Check.
type CharCheck = record.CharCheck

// Problems that a RecordReader finds: a record has nothing to compare, or is longer than
// Source.MaxRecord.
var NoText, TooLong = record.NoText, record.TooLong

// ErrCutOff says that an input ends in the middle of a record.
var ErrCutOff = record.ErrCutOff

// ParseField reads the path of a field. Dots separate its steps; `[]` or `*` selects all elements
// of a list, `[role=user]` some of them, and a step that ends with ? may be absent. A path may also
// be a JSON Pointer.
func ParseField(path string) (Field, error) { return record.ParseField(path) }

// JSONLines is the format of lines with one JSON object each, whose text is in the fields.
func JSONLines(fields []Field) Format { return record.JSONLines(fields) }

// JSONArray is the format of an array whose elements are objects.
func JSONArray(fields []Field) Format { return record.JSONArray(fields) }

// CSV is the format of rows as defined by RFC 4180. Fields are names of columns, or their numbers,
// counted from 1. If delimiter is 0, it is detected in the header.
func CSV(delimiter byte, header bool, fields []string) Format {
	return record.CSV(delimiter, header, fields)
}

// Escaped is a CSV format in which an escape, such as a backslash, precedes a quote within a field.
func Escaped(f Format, escape byte) Format { return record.Escaped(f, escape) }

// TSV is the format of lines whose fields are separated by tabs.
func TSV(header bool, fields []string) Format { return record.TSV(header, fields) }

// Text is the format of texts that each end with the separator, such as lines.
func Text(separator string) Format { return record.Text(separator) }

// Events is the format of events of several lines. An event begins with a line for which begins
// returns true; several goroutines call it.
func Events(begins func(line []byte) bool) Format { return record.Events(begins) }

// Framed is the format of records that a RecordReader returns together with their texts. unit is
// what messages call a record. fields are the names of the fields that FieldMissing and FieldNull
// refer to by number.
func Framed(unit string, fields []string) Format { return record.Framed(unit, fields) }

// FieldMissing is the problem of a record that lacks the field of Framed with that number.
func FieldMissing(field int) Problem { return record.FieldMissing(field) }

// FieldNull is the problem of a record in which the field with that number is null.
func FieldNull(field int) Problem { return record.FieldNull(field) }

// Exact is a format whose texts are equal only if the contents of the fields are equal. It is for
// methods that compare for equality.
func Exact(f Format) Format { return record.Exact(f) }

// Vectors is a format whose field contains a list of dims numbers instead of a text. Sketchers get
// them as little-endian float32. If dims is 0, lists may have any length.
func Vectors(f Format, dims int) Format { return record.Vectors(f, dims) }

// TokenIDs is a format whose field contains a list of integers instead of a text. Sketchers get
// them as words.
func TokenIDs(f Format) Format { return record.TokenIDs(f) }

// NewRowUnion returns an empty union of columns. If strict is set, it refuses headers that differ
// from the first one. It returns nil for formats without a header.
func NewRowUnion(f Format, strict bool) *RowUnion { return record.NewRowUnion(f, strict) }

// Fatal marks an error of a RecordReader after which a run cannot continue with the next input,
// such as one in the middle of a record that has been written in part.
func Fatal(err error) error { return record.Fatal(err) }
