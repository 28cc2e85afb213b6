package run

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// PartEditing edits records some of whose paragraphs were seen before.
type PartEditing struct {
	last     *overlap.LastBatch // of the judge
	told     journal.Pieces     // what the journal asks the judge; zero if it cannot be asked
	action   string
	mask     []byte // empty unless that is the action
	literals *record.Literals
	field    string // empty if a record is all text
	scratch  partScratch
}

// partScratch is reused for each record.
type partScratch struct {
	found  []record.Literal
	own    []overlap.Piece // of one string
	pieces []overlap.Piece
	spans  []substr.Span
	text   []byte
}

// EditPieces cuts, masks or reports those pieces of the records of a source that the judge has
// seen.
func EditPieces(seen *overlap.LastBatch, action, mask string, from *Source) (e *PartEditing, err error) {
	e = &PartEditing{last: seen, action: action}
	if action == config.ActionMask {
		e.mask = []byte(mask)
	}
	if from.To != "" {
		return nil, usage.Error(fmt.Errorf("--action %s does not go with an output of another format, %s: convert "+
			"what comes out, in a second step", action, from.To))
	}
	if e.literals, err = from.Literals(); err != nil {
		return nil, usage.Error(fmt.Errorf("--action %s: %w", action, err))
	}
	if from.HasFields() {
		e.field = from.TextFields()[0]
	}
	return e, nil
}

// after returns the editing of a run that continues others, which have read that many records.
func (e *PartEditing) after(before uint64) stream.Editing {
	return stream.Editing{
		Edit: func(dst []byte, r stream.Editable) (edited []byte, changed bool, err error) {
			return e.edit(dst, r, before)
		},
		EditedOnly: e.action == config.ActionReport,
	}
}

// pieces says which pieces were seen, and accepts what an earlier run has seen.
func (e *PartEditing) pieces() journal.Pieces {
	if e == nil {
		return journal.Pieces{}
	}
	return e.told
}

// edit implements stream.Editing.Edit, with the number of records before this one.
func (e *PartEditing) edit(dst []byte, r stream.Editable, before uint64) (edited []byte, changed bool, err error) {
	seen := e.last.Seen(r.Number)
	if e.action == config.ActionReport {
		return e.appendReport(dst, seen, before+e.last.Number(r.Number)), true, nil
	}
	if len(seen) == 0 {
		return dst, false, nil
	}
	if e.scratch.found, err = e.literals.Append(e.scratch.found[:0], r.Body, r.Table); err != nil {
		return dst, false, err
	}
	written, from := 0, 0 // bytes of the record, and of the text that its strings make together
	for _, at := range e.scratch.found {
		e.scratch.text = at.AppendText(e.scratch.text[:0], r.Body)
		e.scratch.own = within(e.scratch.own[:0], seen, from, from+len(e.scratch.text))
		from += len(e.scratch.text) + 1 // a newline stands between two strings
		if len(e.scratch.own) == 0 {
			continue
		}
		e.spansOf(e.scratch.own, len(e.scratch.text))
		dst = append(dst, r.Body[written:at.Start]...)
		if dst, err = AppendEdited(dst, r.Body, at, e.scratch.spans, e.mask); err != nil {
			return dst, false, err
		}
		written = at.End
	}
	return append(append(dst, r.Body[written:]...), r.Terminator...), true, nil
}

// AppendEdited appends a literal of a record to dst, with each span of its text replaced by mask;
// an empty mask cuts.
func AppendEdited(dst, record []byte, l record.Literal, spans []substr.Span, mask []byte) ([]byte, error) {
	if l.IsJSON() {
		return substr.EditLiteral(dst, record[l.Start:l.End], spans, mask)
	}
	dst, ok := l.AppendAs(dst, record, substr.Mask(nil, l.AppendText(nil, record), spans, mask))
	if !ok {
		return dst, fmt.Errorf("--mask %q would end a record or a field here: give another one", mask)
	}
	return dst, nil
}

// within appends the parts of pieces that lie between two offsets, relative to the first one.
func within(dst, pieces []overlap.Piece, from, to int) []overlap.Piece {
	for _, p := range pieces {
		if start, end := max(p.Start, from), min(p.End, to); start < end {
			dst = append(dst, overlap.Piece{Start: start - from, End: end - from})
		}
	}
	return dst
}

// spansOf returns the spans of a text of that length to be cut or masked.
func (e *PartEditing) spansOf(seen []overlap.Piece, length int) {
	e.scratch.spans, e.scratch.pieces = e.scratch.spans[:0], append(e.scratch.pieces[:0], seen...)
	if e.action == config.ActionCut {
		e.scratch.pieces = overlap.Cuts(e.scratch.pieces[:0], seen, length)
	}
	for _, p := range e.scratch.pieces {
		e.scratch.spans = append(e.scratch.spans, substr.Span{Start: p.Start, End: p.End})
	}
}

// appendReport appends a line for each piece, in the format of substr.
func (e *PartEditing) appendReport(dst []byte, seen []overlap.Piece, record uint64) []byte {
	for _, p := range seen {
		dst = fmt.Appendf(dst, `{"record":%d,`, record)
		if e.field != "" {
			dst = append(dst, `"field":`...)
			dst = append(jsontext.AppendQuoted(dst, []byte(e.field)), ',')
		}
		dst = fmt.Appendf(dst, `"offset":%d,"length":%d}`+"\n", p.Start, p.End-p.Start)
	}
	return dst
}
