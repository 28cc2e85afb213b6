package record

import (
	"fmt"
)

// An omission is why a value that a field leads to is no part of the text.
type omission uint8

const (
	omittedNothing omission = iota
	omittedNull             // it is null
	omittedMissing          // it is not there
	omittedBelow            // a number, a boolean or a null in an object or a list
	omittedPassed           // an element that a condition leaves out
)

// Omissions are what the text of a record leaves out of what its fields lead to. The zero Omissions
// are none.
type Omissions struct {
	values    uint32
	first     omission
	field     uint16 // of the first
	missing   uint64 // a bit for each of the first 64 fields that is not there
	excluded  uint64 // names that fields leave out and that members had, up to this record; see excluding
	nonFinite bool   // NaN or Infinity is in the record
}

// Values is how many values are left out.
func (o Omissions) Values() uint64 { return uint64(o.values) }

// Missing has a bit set for each of the first 64 fields that the record lacks.
func (o Omissions) Missing() uint64 { return o.missing }

// Excluded has a bit set for each name that a field leaves out and that a member of this record, or
// of an earlier one of the same parser, had; see NeverLeftOut.
func (o Omissions) Excluded() uint64 { return o.excluded }

// HasNonFinite reports whether NaN or Infinity is in the record, which no JSON has.
func (o Omissions) HasNonFinite() bool { return o.nonFinite }

// IsZero reports whether there is nothing to say.
func (o Omissions) IsZero() bool { return o.values == 0 && !o.nonFinite }

// add counts n values.
func (o *Omissions) add(why omission, field, n int) {
	if n == 0 {
		return
	}
	if why == omittedMissing && field < 64 {
		o.missing |= 1 << field
	}
	if o.values == 0 {
		o.first, o.field = why, uint16(field)
	}
	o.values += uint32(n)
}

// Null counts a field that is null.
func (o *Omissions) Null(field int) { o.add(omittedNull, field, 1) }

// note counts one value of a field, unless that may be absent.
func (o *Omissions) note(why omission, field int, w *want) {
	if !w.optional {
		o.add(why, field, 1)
	}
}

// Describe puts the first omission into words.
func (o Omissions) Describe(f Format) string {
	field := "a field"
	if names := f.fieldNames(); int(o.field) < len(names) {
		field = fmt.Sprintf("field %q", WithoutBraces(names[o.field]))
	}
	switch o.first {
	case omittedNull:
		return field + " is null"
	case omittedMissing:
		return field + " is missing"
	case omittedPassed:
		return field + " leaves out an element by its condition"
	}
	return field + " leaves out what is no string"
}
