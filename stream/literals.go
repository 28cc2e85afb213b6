package stream

import (
	"cmp"
	"errors"
	"slices"
)

// Literals finds the JSON strings of some fields in records, for what edits records in place. It
// owns scratch memory: one for each goroutine.
type Literals struct {
	jsonScanner
	fields []Field
}

// A Literal is where the string of a field stands in a line, its quotes included.
type Literal struct {
	Field      int // which of the fields
	Start, End int
}

// NewLiterals returns a Literals for these fields.
func NewLiterals(fields []Field) *Literals { return &Literals{newJSONScanner(fields, false), fields} }

// Append appends the literals of a line to dst, in the order in which they stand there. Fields that
// the record does not have, or that are no strings, are left out. An error says why the line is not
// a record.
func (l *Literals) Append(dst []Literal, line []byte) ([]Literal, error) {
	if p := l.scan(line); p.kind != readable {
		return dst, errors.New(p.describe(JSONLines(l.fields), 0))
	}
	n := len(dst)
	for i, w := range l.wants {
		for _, start := range w.strings {
			dst = append(dst, Literal{Field: i, Start: int(start), End: skipString(line, int(start))})
		}
		if !w.several && w.start >= 0 && line[w.start] == '"' {
			dst = append(dst, Literal{Field: i, Start: w.start, End: w.end})
		}
	}
	slices.SortFunc(dst[n:], func(a, b Literal) int { return cmp.Compare(a.Start, b.Start) })
	return dst, nil
}
