package run

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A partEditor makes of a record what is written of it when some of its paragraphs were seen.
type partEditor struct {
	judge    pieceJudge
	action   string
	mask     []byte // empty unless that is the action
	literals *stream.Literals
	field    string // empty if a record is all text
	before   uint64 // records of the runs that this one resumes

	found  []stream.Literal
	own    []overlap.Piece // of one string
	pieces []overlap.Piece
	spans  []substr.Span
	text   []byte
}

// A pieceJudge knows which pieces of the records of the last batch were seen.
type pieceJudge interface {
	Seen(record int) []overlap.Piece
	Number(record int) uint64
}

// told is the judge that may be told by an earlier run which pieces were seen, or nil.
func (e *partEditor) told() journal.PieceJudge {
	if e == nil {
		return nil
	}
	told, _ := e.judge.(journal.PieceJudge)
	return told
}

// prepare says how the text stands in records.
func (e *partEditor) prepare(s formats.Source) (err error) {
	if s.To != "" {
		return usage.Error(fmt.Errorf("--action %s does not go with an output of another format, %s: convert what "+
			"comes out, in a second step", e.action, s.To))
	}
	if e.literals, err = s.Literals(); err != nil {
		return usage.Error(fmt.Errorf("--action %s: %w", e.action, err))
	}
	if s.HasFields() {
		e.field = s.TextFields()[0]
	}
	return nil
}

// edit is the Edit of stream.Options.
func (e *partEditor) edit(dst []byte, r stream.Editable) (edited []byte, changed bool, err error) {
	seen := e.judge.Seen(r.Number)
	if e.action == config.ActionReport {
		return e.appendReport(dst, seen, e.before+e.judge.Number(r.Number)), true, nil
	}
	if len(seen) == 0 {
		return dst, false, nil
	}
	if e.found, err = e.literals.Append(e.found[:0], r); err != nil {
		return dst, false, err
	}
	written, from := 0, 0 // bytes of the record, and of the text that its strings make together
	for _, at := range e.found {
		e.text = at.AppendText(e.text[:0], r.Body)
		e.own = within(e.own[:0], seen, from, from+len(e.text))
		from += len(e.text) + 1 // a newline stands between two strings
		if len(e.own) == 0 {
			continue
		}
		e.spansOf(e.own, len(e.text))
		dst = append(dst, r.Body[written:at.Start]...)
		if dst, err = AppendEdited(dst, r.Body, at, e.spans, e.mask); err != nil {
			return dst, false, err
		}
		written = at.End
	}
	return append(append(dst, r.Body[written:]...), r.Terminator...), true, nil
}

// AppendEdited appends a literal of a record to dst, with each span of its text replaced by mask;
// an empty mask cuts.
func AppendEdited(dst, record []byte, l stream.Literal, spans []substr.Span, mask []byte) ([]byte, error) {
	if l.IsJSON() {
		return substr.EditLiteral(dst, record[l.Start:l.End], spans, mask)
	}
	dst, ok := l.AppendAs(dst, record, substr.Mask(nil, l.AppendText(nil, record), spans, mask))
	if !ok {
		return dst, fmt.Errorf("--mask %q would end a record or a field here: give another one", mask)
	}
	return dst, nil
}

// within appends what of the pieces is between two places, as places from the first one on.
func within(dst, pieces []overlap.Piece, from, to int) []overlap.Piece {
	for _, p := range pieces {
		if start, end := max(p.Start, from), min(p.End, to); start < end {
			dst = append(dst, overlap.Piece{Start: start - from, End: end - from})
		}
	}
	return dst
}

// spansOf are what is cut out or masked of a text of that length.
func (e *partEditor) spansOf(seen []overlap.Piece, length int) {
	e.spans, e.pieces = e.spans[:0], append(e.pieces[:0], seen...)
	if e.action == config.ActionCut {
		e.pieces = overlap.Cuts(e.pieces[:0], seen, length)
	}
	for _, p := range e.pieces {
		e.spans = append(e.spans, substr.Span{Start: p.Start, End: p.End})
	}
}

// appendReport appends a line for each piece, as those of substr.
func (e *partEditor) appendReport(dst []byte, seen []overlap.Piece, record uint64) []byte {
	for _, p := range seen {
		dst = fmt.Appendf(dst, `{"record":%d,`, record)
		if e.field != "" {
			dst = append(dst, `"field":`...)
			dst = append(stream.AppendQuoted(dst, []byte(e.field)), ',')
		}
		dst = fmt.Appendf(dst, `"offset":%d,"length":%d}`+"\n", p.Start, p.End-p.Start)
	}
	return dst
}
