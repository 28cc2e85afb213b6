package command

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A passageEditor edits the texts of records by the spans that the finder has found, in the second
// reading.
type passageEditor struct {
	recordTexts
	finder *substr.Finder
	action substr.Action
	mask   []byte       // empty unless that is the action
	places []textPlace  // of each text, for reports; nil if passages come from a corpus
	page   *passagePage // nil without --report

	next     int    // the number of the next text
	text     []byte // scratch: the current text, and its spans
	spanList []substr.Span
}

// Errors of a second reading that has other records than the first.
var (
	errGrown  = errors.New("the input has grown since it was first read: run again when nothing writes to it")
	errOther  = errors.New("the input has changed since it was first read: run again when nothing writes to it")
	errShrunk = errors.New("the input has shrunk since it was first read: run again when nothing writes to it")
)

// Observe notes which record comes next.
func (e *passageEditor) Observe(d *stream.Decided) error {
	e.page.begin(d)
	return e.recordTexts.Observe(d)
}

// edit appends what the action makes of a record. What is not a record stays as it is, but is left
// out of a report.
func (e *passageEditor) edit(dst []byte, r stream.Editable) (_ []byte, changed bool, err error) {
	if e.isLong(r) {
		return dst, e.action == substr.ActionReport, nil
	}
	found, err := e.in(r)
	if err != nil {
		_ = e.reject(err)
		return dst, e.action == substr.ActionReport, nil
	}
	begin, written, touched := len(dst), 0, false
	for _, l := range found {
		if err := e.nextSpans(l, r); err != nil {
			return dst, false, err
		}
		if len(e.spanList) == 0 {
			continue
		}
		touched = true
		if dst, written, err = e.editText(dst, r, l, written); err != nil {
			return dst, false, err
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

// nextSpans reads the spans of the next text.
func (e *passageEditor) nextSpans(l record.Literal, r stream.Editable) (err error) {
	if e.next == e.finder.Texts() {
		return errGrown
	}
	if e.spanList, err = e.finder.AppendSpans(e.spanList[:0], e.next); err != nil {
		return err
	}
	e.next++
	if len(e.spanList) == 0 {
		return nil
	}
	e.counts.count(e.spanList)
	e.text = l.AppendText(e.text[:0], r.Body)
	if e.spanList[len(e.spanList)-1].End > len(e.text) {
		return errOther
	}
	if e.page != nil {
		e.page.show(e.text, e.spanList)
	}
	return nil
}

// editText appends what the action makes of a text with spans, and before that the record from
// written to the text. It returns up to where the record has been written.
func (e *passageEditor) editText(
	dst []byte, r stream.Editable, l record.Literal, written int,
) (_ []byte, now int, err error) {
	spans := e.spanList
	switch e.action {
	case substr.ActionReport:
		return e.appendReport(dst, l), written, nil
	case substr.ActionCut:
		spans = substr.WholeLines(e.text, spans)
	case substr.ActionMask:
	default:
		return dst, written, nil
	}
	dst = append(dst, r.Body[written:l.Start]...)
	dst, err = run.AppendEdited(dst, r.Body, l, spans, e.mask)
	return dst, l.End, err
}

// appendReport appends a line for each span of the text before e.next.
func (e *passageEditor) appendReport(dst []byte, l record.Literal) []byte {
	for _, s := range e.spanList {
		r := substr.Report{
			Record: int(e.counts.records), Field: e.fields[l.Field], Offset: s.Start, Length: s.End - s.Start,
			First: substr.Location{Record: s.First.Text + 1, Offset: s.First.Offset},
		}
		if e.places != nil {
			first := e.places[s.First.Text]
			r.First.Record, r.First.Field = int(first.record), e.fields[first.field]
		}
		dst = r.AppendJSON(dst)
	}
	return dst
}
