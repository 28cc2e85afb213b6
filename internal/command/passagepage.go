package command

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// What a page keeps and shows of passages.
const (
	maxPassages   = 1 << 16 // that are distinguished
	shownPassages = 30
	shownRecords  = 20
	passageBytes  = 300 // of the beginning of a passage
	passageSeed   = 1   // of the choice of records
)

// A passagePage collects what a page of substr or boilerplate shows. A nil passagePage does
// nothing.
type passagePage struct {
	report.Collector
	file    *files.Output
	started time.Time

	record   report.Record
	text     []byte   // scratch
	fields   [][]byte // of the record
	passages map[substr.Place]*passage
	more     bool // there are more of them than are distinguished
	rng      *rand.Rand
	shown    int // records that could be examples
	examples []report.Example
}

// A passage is repeated text.
type passage struct {
	text   string // its beginning
	length int    // of its longest repetition
	times  uint64
	bytes  uint64
}

// beginPage begins the page, if it was asked for.
func beginPage(c config.ReportFlags, std files.Streams) (*passagePage, error) {
	if c.Report == "" {
		return nil, nil
	}
	file, err := files.CreateResult(nil, c.Report, std) // opening the source checks it against the inputs
	if err != nil {
		return nil, err
	}
	p := &passagePage{
		file: file, started: time.Now(), passages: map[substr.Place]*passage{},
		rng: rand.New(rand.NewPCG(passageSeed, 0)),
	}
	p.Fields = c.ReportBy
	return p, nil
}

// out returns the file of the page, or nil if no page is written.
func (p *passagePage) out() *files.Output {
	if p == nil {
		return nil
	}
	return p.file
}

// finish gives the file its name after a complete run.
func (p *passagePage) finish(complete bool) error { return p.out().Finish(complete, false) }

// begin is called for each record.
func (p *passagePage) begin(d *stream.Decided) {
	if p == nil {
		return
	}
	p.end()
	p.fields = p.fields[:0]
	for _, value := range d.Fields[:len(p.Fields)] {
		p.fields = append(p.fields, bytes.Clone(value))
	}
	p.record = report.Record{Number: p.record.Number + 1, Input: d.Input, At: d.Record, Fields: p.fields}
}

// show adds the passages of a text of that record.
func (p *passagePage) show(text []byte, spans []substr.Span) {
	if p == nil {
		return
	}
	p.record.Removed = true
	p.text = append(p.text[:0], text...)
	for _, s := range spans {
		p.count(s)
	}
	p.shown++
	place := len(p.examples)
	if place == shownRecords {
		if place = p.rng.IntN(p.shown); place >= shownRecords {
			return
		}
	} else {
		p.examples = append(p.examples, report.Example{})
	}
	pieces := make([][2]int, len(spans))
	for i, s := range spans {
		pieces[i] = [2]int{s.Start, s.End}
	}
	e := report.Example{Name: fmt.Sprintf("%s:%d", p.record.Input, p.record.At), Reason: passagesIn(spans)}
	e.Text, e.Cut = report.Marked(p.text, pieces)
	p.examples[place] = e
}

func passagesIn(spans []substr.Span) string {
	bytes := 0
	for _, s := range spans {
		bytes += s.End - s.Start
	}
	return fmt.Sprintf("%d marked, %s", len(spans), units.Bytes(uint64(bytes)))
}

func (p *passagePage) count(s substr.Span) {
	of := p.passages[s.First]
	if of == nil {
		if len(p.passages) == maxPassages {
			p.more = true
			return
		}
		of = new(passage)
		p.passages[s.First] = of
	}
	of.times++
	of.bytes += uint64(s.End - s.Start)
	if length := s.End - s.Start; length > of.length {
		of.length = length
		beginning, _ := report.Marked(p.text[s.Start:min(s.End, s.Start+passageBytes)], nil)
		of.text = strings.TrimSpace(beginning[0].Text)
	}
}

// end is called after the last passage of a record.
func (p *passagePage) end() {
	if p != nil && p.record.Number > 0 {
		p.Add(&p.record)
	}
}

// writePage writes the page, if there is one.
func (t *substrTask) writePage() error {
	p, c := t.page, t.config
	if p == nil {
		return nil
	}
	n := t.edits.counts
	p.end()
	run := &report.Run{
		Origin:  run.OriginOf(t.std.Args, time.Since(p.started)),
		Records: n.records, Removed: n.touched, Unreadable: n.rejects, BytesIn: n.all,
		Words: report.Words{
			Headline: fmt.Sprintf("%.1f %% of %s of text is repeated", units.Percent(n.bytes, n.all),
				units.Bytes(n.all)),
			Counted: "with a repeated passage", Examples: "Records with repeated passages", Left: "Text",
			Alone: "What is repeated is marked.",
		},
		Figures: []report.Figure{
			{Value: units.Count(n.touched), Label: "records with a repeated passage", Class: "removed"},
			{Value: units.Count(n.spans), Label: "repeated passages, " + units.Bytes(n.bytes)},
		},
		Parameters: []report.Parameter{
			{Name: "field", Value: strings.Join(t.edits.fields, ", ")},
			{Name: "minimum length", Value: fmt.Sprint(c.MinLength)}, {Name: "unit", Value: c.Unit},
			{Name: "action", Value: c.Action}, {Name: "against", Value: c.Against},
		},
	}
	return p.write(run, report.List{
		Title: "Repeated passages", About: "Those that take the most bytes, without their first occurrence.",
	})
}

// write completes a page with what was collected and with the list of passages, and writes it.
func (p *passagePage) write(run *report.Run, list report.List) error {
	run.Parameters = slices.DeleteFunc(run.Parameters, func(p report.Parameter) bool {
		return p.Value == "" || p.Value == "0"
	})
	p.Fill(run, nil)
	run.Examples, run.Rule = p.examples, "texts drawn at random, with a fixed seed"
	if list = p.fill(list); len(list.Rows) > 0 {
		run.Lists = []report.List{list}
	}
	return run.Write(p.file)
}

// fill adds the passages that take the most bytes to a list.
func (p *passagePage) fill(list report.List) report.List {
	list.Columns = []string{"Beginning", "Times", "Longest", "Bytes"}
	if p.more {
		list.About += fmt.Sprintf(" The list has the first %s found.", units.Of(maxPassages, "passage"))
	}
	all := slices.SortedFunc(maps.Values(p.passages), func(a, b *passage) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.times, a.times), cmp.Compare(a.text, b.text))
	})
	for _, of := range all[:min(len(all), shownPassages)] {
		text := of.text
		if of.length > passageBytes {
			text += "…"
		}
		list.Rows = append(list.Rows, report.ListRow{Text: text, Cells: []string{
			units.Count(of.times), units.Bytes(uint64(of.length)), units.Bytes(of.bytes),
		}})
	}
	return list
}
