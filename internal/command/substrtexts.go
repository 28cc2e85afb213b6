package command

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// recordTexts finds the texts of records as they come. It is a sink that gets each record before
// the record is edited.
type recordTexts struct {
	fields    []string // with the texts; one empty name if a record is nothing but text
	literals  *record.Literals
	maxRecord int

	input   string // of the current record
	number  uint64 // of the current record in its input
	tooLong bool   // the current record is
	counts  passageCounts
	found   []record.Literal // scratch
}

// Observe notes which record comes next.
func (t *recordTexts) Observe(d *stream.Decided) error {
	t.counts.records++
	t.input, t.number = d.Input, d.Record
	if t.tooLong = d.Problem == record.TooLong; t.tooLong {
		t.rejectLong()
	}
	return nil
}

// isLong reports whether a record is too long to be examined. It counts such a record.
func (t *recordTexts) isLong(r stream.Editable) bool {
	if !t.tooLong && len(r.Body) > t.maxRecord {
		t.rejectLong()
		return true
	}
	return t.tooLong
}

func (t *recordTexts) rejectLong() {
	_ = t.reject(fmt.Errorf("the record is longer than max-record, %d bytes", t.maxRecord))
}

// reject counts the current record as one that could not be read, and returns why, with its place.
func (t *recordTexts) reject(err error) error {
	return t.counts.reject(fmt.Errorf("%s:%d: %w", t.input, t.number, err))
}

// in returns the texts of a record.
func (t *recordTexts) in(r stream.Editable) (found []record.Literal, err error) {
	t.found, err = t.literals.Append(t.found[:0], r.Body, r.Table)
	return t.found, err
}

// passageCounts holds what a reading has found.
type passageCounts struct {
	records uint64
	touched uint64 // records with a span
	spans   uint64
	bytes   uint64 // in spans
	all     uint64 // bytes of text
	rejects uint64
	first   error // the first of these
}

// secondPass returns the counts that the second reading begins with.
func (c passageCounts) secondPass() passageCounts { return passageCounts{all: c.all, first: c.first} }

// reject counts a record that could not be read.
func (c *passageCounts) reject(err error) error {
	if c.rejects++; c.first == nil {
		c.first = err
	}
	return err
}

func (c *passageCounts) count(spans []substr.Span) {
	for _, s := range spans {
		c.spans++
		c.bytes += uint64(s.End - s.Start)
	}
}

// summary says what a reading has found, with the passages if they were looked for.
func (c passageCounts) summary(passages bool) string {
	s := units.Bytes(c.all) + " of text"
	if passages {
		s += fmt.Sprintf(", %s in %s, %s (%.1f %%)",
			units.Of(c.spans, "repeated passage"), units.Of(c.touched, "record"), units.Bytes(c.bytes),
			units.Percent(c.bytes, c.all))
	}
	if c.rejects > 0 {
		s += fmt.Sprintf("; %s could not be read, the first: %v", units.Count(c.rejects), c.first)
	}
	return s
}
