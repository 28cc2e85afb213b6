package stream

import (
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A NoFieldError ends a run in which no record has a named field, most likely because the name is
// wrong. Records may have been written.
type NoFieldError struct {
	Fields  []string
	Records uint64 // that were looked at
	Head    []byte // the first bytes of the input, where it is a stream of bytes
}

func (e *NoFieldError) Error() string {
	quoted := make([]string, len(e.Fields))
	for i, field := range e.Fields {
		quoted[i] = fmt.Sprintf("%q", field)
	}
	which := "none of the " + fmt.Sprint(e.Records) + " records has"
	if e.Records == 1 {
		which = "the only record does not have"
	}
	return fmt.Sprintf("%s a field %s", which, strings.Join(quoted, " or "))
}

// A ShareError ends a run in which too many records could not be read. Its output has been written.
type ShareError struct {
	Unreadable, Records uint64
	First               Place
}

func (e *ShareError) Error() string {
	return fmt.Sprintf("%d of %d records could not be read, the first: %s", e.Unreadable, e.Records, e.First)
}

// presence notes which fields have occurred in any record.
type presence struct {
	texts uint64 // of those with the texts: a bit for each of the first 64

	excluded uint64 // which of the names that they leave out; see record.NeverLeftOut

	named []bool // of those that name records, and are passed to sinks: in the order of Source.sinkFields
}

// sinkFields returns the fields that name records and those that sinks receive.
func (s *Source) sinkFields() []string {
	return append(append([]string{s.ID}, s.Fields...), s.Within)
}

// recordPresence notes which fields occur in the records of a batch.
func (l *ledger) recordPresence(b *batch) {
	l.present.texts |= b.present.texts
	l.present.excluded |= b.present.excluded
	for i, isThere := range b.present.named {
		if i == len(l.present.named) {
			l.present.named = append(l.present.named, false)
		}
		l.present.named[i] = l.present.named[i] || isThere
	}
}

// atEnd returns the error, if any, of a run that has reached its end.
func (l *ledger) atEnd() error {
	s := &l.stats
	first := s.FirstReject
	if first == nil {
		first = s.FirstCut
	}
	read := s.Records - s.Blank
	if share := l.opts.UnreadableShare; share > 0 && float64(s.Rejects.Total()) > share*float64(read) &&
		s.Rejects.Total() >= l.opts.UnreadableLeast {
		return &ShareError{Unreadable: s.Rejects.Total(), Records: read, First: *first}
	}
	if !l.opts.NeedsFields || l.opts.From.Records > 0 || s.Lost > 0 || read == s.Rejects.Broken() {
		return nil // others may have had them, or nobody can say
	}
	l.noteNeverLeftOut(read)
	e := &NoFieldError{Records: read, Head: append([]byte(nil), l.head...)}
	if fields := record.TextFields(l.opts.Format); len(fields) > 1 && !l.opts.Method.DecidesAll {
		for i, field := range fields[:min(len(fields), 64)] {
			if l.present.texts&(1<<i) == 0 && !field.IsOptional() {
				e.Fields = append(e.Fields, field.String())
			}
		}
	}
	for i, field := range l.opts.sinkFields() {
		if field != "" && !l.opts.LineTimes.isField(field) && (i >= len(l.present.named) || !l.present.named[i]) {
			e.Fields = append(e.Fields, field)
		}
	}
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}

// noteNeverLeftOut notes which of the members that fields leave out no record has had.
func (l *ledger) noteNeverLeftOut(read uint64) {
	if l.opts.Method.DecidesAll || read == l.stats.Rejects.Total() {
		return // no text was read
	}
	fields, names := record.NeverLeftOut(l.opts.Format, l.present.excluded)
	for i, field := range fields {
		l.stats.NeverLeftOut = append(l.stats.NeverLeftOut, FieldMember{field, names[i]})
	}
}
