package stream

import (
	"fmt"
	"strings"
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
	notURLs   uint32 // values that were to be URLs
	nonFinite bool   // NaN or Infinity is in the record
}

// omittedOf is what the text of a record of a batch leaves out.
type omittedOf struct {
	record int
	Omissions
}

// isZero reports whether there is nothing to say.
func (o Omissions) isZero() bool { return o.values == 0 && o.notURLs == 0 && !o.nonFinite }

// LeftOut counts what fields lead to and texts leave out: nulls, elements without the member that
// is named, numbers below an object or a list, and what a path itself leaves out.
type LeftOut struct {
	Records uint64 `json:"records"`
	Values  uint64 `json:"values"`
	First   *Place `json:"first,omitempty"`
}

// countOmitted counts what record i of the batch leaves out, which is the last one counted.
func (l *ledger) countOmitted(b *batch, i int) {
	if len(l.omitted) == 0 || l.omitted[0].record != i {
		return
	}
	o := l.omitted[0].Omissions
	l.omitted = l.omitted[1:]
	if o.nonFinite {
		l.stats.NonFinite++
	}
	if o.values > 0 {
		l.countValues(&l.stats.LeftOut, b, i, o.values, o.describe(l.opts.Format))
	}
	if o.notURLs > 0 {
		l.countValues(&l.stats.NotURLs, b, i, o.notURLs, "a value is not a URL")
	}
}

// countValues counts values of record i.
func (l *ledger) countValues(of *LeftOut, b *batch, i int, values uint32, problem string) {
	of.Records, of.Values = of.Records+1, of.Values+uint64(values)
	if of.First == nil {
		name, number := l.whereIs(b, i)
		of.First = &Place{Input: name, Unit: l.opts.Format.unit(), Record: number, Problem: problem}
	}
}

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

// describe puts the first omission into words.
func (o Omissions) describe(f Format) string {
	field := "a field"
	if names := f.fieldNames(); int(o.field) < len(names) {
		name, _, _ := strings.Cut(names[o.field], "{-")
		field = fmt.Sprintf("field %q", name)
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
