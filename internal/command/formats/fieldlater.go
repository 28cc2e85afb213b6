package formats

import (
	"bytes"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/textfield"
	"github.com/mithril-stream/mithril-stream/stream"
)

// LaterFields looks at the records that a run removes, for text in members that no record had when
// --field auto chose the fields: that text was not compared. It is where the removed records are
// written. To cost next to nothing it looks at the first ones, and then at a small part.
type LaterFields struct {
	of     *textfield.Later
	fields []string  // that were chosen
	next   io.Writer // takes the records; may be nil

	line            []byte // the beginning of one
	isInside        bool   // a line has begun
	isSkipped       bool   // it is not looked at
	written, looked int64  // in bytes
}

const (
	laterBytes   = 256 << 10 // are looked at first
	laterShare   = 256       // and then one byte of so many
	laterLongest = 1 << 20   // of a line
	// leastLater is the share of removed records with such text that is reported.
	leastLater = .01
)

// WatchLater has the records that a run removes looked at. It returns nil unless --field auto has
// chosen the fields of JSON records. Call it when the outputs of the run are open.
func (s *Source) WatchLater(opts *stream.Options) *LaterFields {
	of := s.Found.Later()
	if of == nil || !layout.Of(s.Name).Has(layout.Objects) {
		return nil
	}
	l := &LaterFields{of: of, fields: s.Found.Paths, next: opts.Duplicates}
	opts.Duplicates = l
	if records, ok := l.next.(stream.RecordWriter); ok {
		opts.Duplicates = laterRecords{l, records}
	}
	return l
}

// Write implements io.Writer for records in lines.
func (l *LaterFields) Write(p []byte) (int, error) {
	for line := range bytes.SplitAfterSeq(p, []byte("\n")) {
		l.take(line)
	}
	if l.next == nil {
		return len(p), nil
	}
	return l.next.Write(p)
}

// take takes a line, or a part of one. Which lines are looked at does not depend on the parts.
func (l *LaterFields) take(part []byte) {
	if !l.isInside {
		l.isSkipped = l.looked > laterBytes+l.written/laterShare
	}
	l.written += int64(len(part))
	isEnd := bytes.HasSuffix(part, []byte("\n"))
	if l.isInside = !isEnd; len(l.line)+len(part) > laterLongest {
		l.isSkipped, l.line = true, nil
	}
	switch {
	case l.isSkipped:
	case isEnd && len(l.line) == 0:
		l.look(part)
	case isEnd:
		l.look(append(l.line, part...))
		l.line = l.line[:0]
	default:
		l.line = append(l.line, part...)
	}
}

// look looks at a record, which may be an element of an array.
func (l *LaterFields) look(line []byte) {
	l.looked += int64(len(line))
	l.of.Look(bytes.Trim(line, "[],\r\n\t "))
}

// A LaterText is text that was not compared.
type LaterText struct {
	Fields          string // that have it
	Flags           string // that name these fields and those that were chosen
	Records, Looked int    // how many records have it, of those that were looked at
}

// Found returns text that was not compared. ok is false if there is none worth mentioning.
func (l *LaterFields) Found() (text LaterText, ok bool) {
	if l == nil {
		return text, false
	}
	found, looked := l.of.Found(), l.of.Records()
	if len(found) == 0 || float64(found[0].Records) < leastLater*float64(looked) {
		return text, false
	}
	var names, later []string
	for _, field := range found {
		names = append(names, field.Path)
		later = append(later, field.Path+"?")
	}
	flags := flagsOf(slices.Concat(l.fields, later[:min(len(later), mostNamed)]))
	return LaterText{someOf(names), flags, found[0].Records, looked}, true
}

// laterRecords is LaterFields for an output that takes records one at a time.
type laterRecords struct {
	*LaterFields
	to stream.RecordWriter
}

// WriteRecord implements stream.RecordWriter.
func (l laterRecords) WriteRecord(of []byte) error {
	l.take(of)
	if !bytes.HasSuffix(of, []byte("\n")) {
		l.take([]byte("\n"))
	}
	return l.to.WriteRecord(of)
}

// Flush implements stream.RecordWriter.
func (l laterRecords) Flush() error { return l.to.Flush() }
