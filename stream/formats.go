package stream

import "github.com/mithril-stream/mithril-stream/internal/record"

// A Format says how records are written in an input and in an output: JSONLines, JSONArray, CSV,
// TSV, Text, Events or Framed.
type Format = record.Format

// A Field is the path of a value in a JSON record, such as `text` or `messages[].content`.
type Field = record.Field

// A Problem says why a record has no text to compare. The zero Problem means that it has one.
type Problem = record.Problem

// Omissions are the values that a record's fields lead to and its text leaves out.
type Omissions = record.Omissions

// A Span is a part of a buffer.
type Span = record.Span

// A RowUnion is the union of the columns of all inputs, for Source.Union.
type RowUnion = record.RowUnion

// A CharCheck says which bytes records must not have, for Form.Check.
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

// CSV is the format of rows as RFC 4180 has them. Fields are the names of columns, or their numbers
// from 1. A delimiter of 0 is found in the header.
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

// Framed is the format of records that a RecordReader hands over together with their texts. unit is
// what messages call a record; fields are the names of what FieldMissing and FieldNull number.
func Framed(unit string, fields []string) Format { return record.Framed(unit, fields) }

// FieldMissing is the problem of a record without one of the fields of Framed, by its number.
func FieldMissing(field int) Problem { return record.FieldMissing(field) }

// FieldNull is the problem of a record in which that field is null.
func FieldNull(field int) Problem { return record.FieldNull(field) }

// Exact is a format whose texts are equal only if the contents of the fields are, for methods that
// compare for equality.
func Exact(f Format) Format { return record.Exact(f) }

// Vectors is a format whose field holds a list of dims numbers in place of a text. Sketchers get
// them as float32 in little-endian order. If dims is 0 any length will do.
func Vectors(f Format, dims int) Format { return record.Vectors(f, dims) }

// TokenIDs is a format whose field holds a list of integers in place of a text. Sketchers get them
// as words.
func TokenIDs(f Format) Format { return record.TokenIDs(f) }

// NewRowUnion returns the union of no columns yet; strict refuses headers that differ from the
// first. It is nil for formats without a header.
func NewRowUnion(f Format, strict bool) *RowUnion { return record.NewRowUnion(f, strict) }

// Fatal marks an error of a RecordReader after which the run cannot continue with the next input,
// such as one in the middle of a record whose first pieces were written.
func Fatal(err error) error { return record.Fatal(err) }
