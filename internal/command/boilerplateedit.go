package command

import (
	"bytes"
	"encoding/json"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/boilerplate"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A boilerplateEditor cuts what was counted as boilerplate from the texts of records, in the second
// reading.
type boilerplateEditor struct {
	literals *record.Literals
	cutter   *boilerplate.Cutter
	cut      *cutList
	page     *passagePage
	counts   boilerplateCounts
	sketches []uint64 // of the records of the last batch: the site, whether anything is found, and the size

	found []record.Literal // scratch
	text  []byte
	spans []substr.Span
	shown []substr.Span
}

// boilerplateCounts holds what the second reading has found.
type boilerplateCounts struct {
	records                      uint64
	textless, unreadable, cutOff uint64 // of these
	touched                      uint64 // records that lost a part
	whole                        uint64 // records that are nothing but boilerplate
	undivided                    uint64 // records with a long text that is a single part
	bytes                        uint64 // of the parts that were cut
	all                          uint64 // bytes of text
}

func newBoilerplateEditor(t *boilerplateTask, literals *record.Literals) *boilerplateEditor {
	return &boilerplateEditor{
		literals: literals, cutter: boilerplate.NewCutter(t.table), cut: t.cut, page: t.page,
	}
}

// Observe notes which record comes next.
func (e *boilerplateEditor) Observe(d *stream.Decided) error {
	e.counts.records++
	switch p := d.Problem; {
	case p.IsReadable():
	case p.Kind() == record.KindEmptyText:
		e.counts.textless++
	case p.IsCutOff():
		e.counts.cutOff++
	case p.Kind() != record.KindBlankLine:
		e.counts.unreadable++
	}
	e.page.begin(d)
	e.cut.begin(d)
	return nil
}

// beginBatch begins a batch.
func (e *boilerplateEditor) beginBatch(stream.Batch) { e.sketches = e.sketches[:0] }

// judge keeps every record, and notes what its sketch says.
func (e *boilerplateEditor) judge(b stream.Batch, i int) (v stream.Verdict, err error) {
	words := [boilerplate.SpotWords]uint64{}
	copy(words[:], b.Sketch(i))
	e.counts.all += words[2]
	e.sketches = append(e.sketches, words[:]...)
	return v, nil
}

// edit appends what is left of a record. A record that cannot be read, has no boilerplate, or has
// nothing else stays as it is.
func (e *boilerplateEditor) edit(dst []byte, r stream.Editable) (_ []byte, changed bool, err error) {
	sketch := e.sketches[boilerplate.SpotWords*r.Number:]
	site := sketch[0]
	switch sketch[1] {
	case boilerplate.SpottedWhole:
		e.counts.whole++
		return dst, false, nil
	case boilerplate.SpottedOne:
		e.counts.undivided++
		return dst, false, nil
	case boilerplate.SpottedNone:
		return dst, false, nil
	}
	if e.found, err = e.literals.Append(e.found[:0], r.Body, r.Table); err != nil {
		return dst, false, err
	}
	written := 0
	for _, at := range e.found {
		e.text = at.AppendText(e.text[:0], r.Body)
		parts := e.cutter.Find(site, e.text)
		if len(parts) == 0 {
			continue
		}
		if err := e.tell(parts); err != nil {
			return dst, false, err
		}
		e.spans = e.spans[:0]
		for _, p := range e.cutter.Cuts(len(e.text)) {
			e.spans = append(e.spans, substr.Span{Start: p.Start, End: p.End})
		}
		dst = append(dst, r.Body[written:at.Start]...)
		if dst, err = run.AppendEdited(dst, r.Body, at, e.spans, nil); err != nil {
			return dst, false, err
		}
		written = at.End
	}
	if written == 0 {
		return dst, false, nil
	}
	e.counts.touched++
	return append(append(dst, r.Body[written:]...), r.Terminator...), true, nil
}

// tell counts and shows the parts of the current text that are cut.
func (e *boilerplateEditor) tell(parts []boilerplate.Found) error {
	e.shown = e.shown[:0]
	for _, p := range parts {
		e.counts.bytes += uint64(p.End - p.Start)
		if err := e.cut.add(p, e.text); err != nil {
			return err
		}
		if e.page != nil {
			e.shown = append(e.shown, substr.Span{Start: p.Start, End: p.End, First: substr.Place{Text: p.Entry}})
		}
	}
	if e.page != nil {
		e.page.show(e.text, e.shown)
	}
	return nil
}

// A cutList writes what was cut to the file of --cut: each part of a site once, in order of
// appearance. A nil cutList does nothing.
type cutList struct {
	file   *files.Output
	table  *boilerplate.Table
	isTold []bool             // for each entry of the table
	sites  *boilerplate.Sites // nil if all records are of one site
	site   []byte             // of the current record, as JSON
	plain  []byte             // scratch
	line   bytes.Buffer
}

// A cutLine is a line of that file.
type cutLine struct {
	Text    string          `json:"text"`
	Within  json.RawMessage `json:"within,omitempty"`
	Records uint64          `json:"records"`
	Of      uint64          `json:"of"`
}

// beginCutList begins the list, if it was asked for.
func beginCutList(c *config.Boilerplate, table *boilerplate.Table, std files.Streams) (*cutList, error) {
	if c.Cut == "" {
		return nil, nil
	}
	file, err := files.CreateResult(nil, c.Cut, std) // opening the source checks it against the inputs
	if err != nil {
		return nil, err
	}
	l := &cutList{file: file, table: table, isTold: make([]bool, table.Len())}
	if within := c.Filter.Rule.Within; within.Field != "" {
		l.sites = boilerplate.NewSites(within.Form)
	}
	return l, nil
}

// out returns the file of the list. It returns nil if no list is written.
func (l *cutList) out() *files.Output {
	if l == nil {
		return nil
	}
	return l.file
}

// finish gives the file its name after a complete run.
func (l *cutList) finish(complete bool) error { return l.out().Finish(complete, false) }

// begin is called for each record. It notes the site.
func (l *cutList) begin(d *stream.Decided) {
	if l == nil || l.sites == nil {
		return
	}
	value := d.Fields[len(d.Fields)-1]
	if len(value) == 0 || value[0] != '"' {
		l.site = append(l.site[:0], value...)
		return
	}
	l.plain = jsontext.AppendUnquoted(l.plain[:0], value)
	l.site = jsontext.AppendQuoted(l.site[:0], l.sites.Name(l.plain))
}

// add writes a part of a text, unless it has already been written.
func (l *cutList) add(p boilerplate.Found, text []byte) error {
	if l == nil || l.isTold[p.Entry] {
		return nil
	}
	l.isTold[p.Entry] = true
	of := l.table.Entry(p.Entry)
	l.line.Reset()
	err := jsonout.WriteLine(&l.line, cutLine{
		Text: string(bytes.TrimSpace(text[p.Start:p.End])), Within: l.site, Records: of.Records, Of: of.Of,
	})
	if err == nil {
		_, err = l.file.Write(l.line.Bytes())
	}
	return err
}
