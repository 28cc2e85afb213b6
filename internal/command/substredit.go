package command

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

var errGrown = errors.New("the input has grown since it was first read: run again when nothing writes to it")

// collect adds the texts of a record, and writes nothing.
func (e *editor) collect(dst []byte, r stream.Editable) (_ []byte, changed bool, err error) {
	if e.isLong(r) {
		return dst, true, nil
	}
	if e.found, err = e.literals.Append(e.found[:0], r); err != nil {
		e.refusal = e.check.see(e.input, r.Body, e.counts.reject(e.at(err)))
		return dst, true, e.refusal
	}
	if e.refusal = e.check.see(e.input, r.Body, nil); e.refusal != nil {
		return dst, true, e.refusal
	}
	e.finder.BeginRecord()
	for _, l := range e.found {
		e.scratch = l.AppendText(e.scratch[:0], r.Body)
		e.counts.all += uint64(len(e.scratch))
		if e.action == substr.ActionReport {
			e.texts = append(e.texts, textPlace{e.counts.records, l.Field})
		}
		if err := e.finder.Add(e.scratch); err != nil {
			return dst, true, err
		}
	}
	return dst, true, nil
}

// edit appends what the action makes of a record. What is no record stays as it is.
func (e *editor) edit(dst []byte, r stream.Editable) (_ []byte, changed bool, err error) {
	if e.isLong(r) {
		return dst, e.action == substr.ActionReport, nil
	}
	if e.found, err = e.literals.Append(e.found[:0], r); err != nil {
		e.counts.reject(e.at(err))
		return dst, e.action == substr.ActionReport, nil
	}
	begin, written, touched := len(dst), 0, false
	for _, l := range e.found {
		if e.text == e.finder.Texts() {
			return dst, false, errGrown
		}
		if e.spanList, err = e.finder.AppendSpans(e.spanList[:0], e.text); err != nil {
			return dst, false, err
		}
		e.text++
		if len(e.spanList) == 0 {
			continue
		}
		touched = true
		e.counts.take(e.spanList)
		if e.page != nil || e.action == substr.ActionCut {
			e.scratch = l.AppendText(e.scratch[:0], r.Body)
		}
		if e.page != nil {
			e.page.show(e.scratch, e.spanList)
		}
		switch e.action {
		case substr.ActionReport:
			dst = e.appendReport(dst, l)
		case substr.ActionCut, substr.ActionMask:
			spans := e.spanList
			if e.action == substr.ActionCut {
				spans = substr.WholeLines(e.scratch, spans)
			}
			dst = append(dst, r.Body[written:l.Start]...)
			if dst, err = run.AppendEdited(dst, r.Body, l, spans, e.mask); err != nil {
				return dst, false, err
			}
			written = l.End
		}
	}
	if touched {
		e.counts.touched++
	}
	switch {
	case e.action == substr.ActionReport:
		return dst, true, nil
	case touched && e.action == substr.ActionDrop:
		return dst[:begin], true, nil
	case !touched:
		return dst, false, nil
	}
	return append(append(dst, r.Body[written:]...), r.Terminator...), true, nil
}

// appendReport appends a line for each span of the text before e.text.
func (e *editor) appendReport(dst []byte, l stream.Literal) []byte {
	for _, s := range e.spanList {
		r := substr.Report{
			Record: int(e.counts.records), Field: e.fields[l.Field], Offset: s.Start, Length: s.End - s.Start,
			First: substr.Location{Record: s.First.Text + 1, Offset: s.First.Offset},
		}
		if !e.foreign {
			first := e.texts[s.First.Text]
			r.First.Record, r.First.Field = int(first.record), e.fields[first.field]
		}
		dst = r.AppendJSON(dst)
	}
	return dst
}

// passageCounts are what a reading has found.
type passageCounts struct {
	records uint64
	touched uint64 // records with a span
	spans   uint64
	bytes   uint64 // in spans
	all     uint64 // bytes of text
	rejects uint64
	first   error // the first of these
}

// again begins the second reading.
func (c *passageCounts) again() { *c = passageCounts{all: c.all, first: c.first} }

// reject counts a record that could not be read.
func (c *passageCounts) reject(err error) error {
	if c.rejects++; c.first == nil {
		c.first = err
	}
	return err
}

func (c *passageCounts) take(spans []substr.Span) {
	for _, s := range spans {
		c.spans++
		c.bytes += uint64(s.End - s.Start)
	}
}

// Summary says what was found, for run.
func (e *editor) Summary(stream.Stats) string {
	c := e.counts
	s := units.Bytes(c.all) + " of text"
	if e.text > 0 {
		s += fmt.Sprintf(", %s repeated passages in %s records, %s (%.1f %%)",
			units.Count(c.spans), units.Count(c.touched), units.Bytes(c.bytes), units.Percent(c.bytes, c.all))
	}
	if c.rejects > 0 {
		s += fmt.Sprintf("; %s could not be read, the first: %v", units.Count(c.rejects), c.first)
	}
	return s
}

// announce says what was stored.
func (e *editor) announce() {
	if !e.config.Quiet {
		shown.Notice(e.std.Err, "%s records stored: %s", units.Count(e.counts.records), e.Summary(stream.Stats{}))
	}
}
