package command

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/run"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/quality/report"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// What a page keeps and shows of repeated passages.
const (
	maxPassages   = 1 << 16 // that are told apart
	shownPassages = 30
	shownRecords  = 20
	passageBytes  = 300 // of the beginning of a passage
	passageSeed   = 1   // of the choice of records
)

// A passagePage collects what the page of substr shows. A nil one does nothing.
type passagePage struct {
	report.Collector
	file    *files.Output
	values  *stream.Values
	started time.Time

	record   report.Record
	text     []byte // scratch
	passages map[substr.Place]*passage
	more     bool // there are more of them than are told apart
	rng      *rand.Rand
	shown    int // records that could be examples
	examples []report.Example
}

// A passage is one that is repeated.
type passage struct {
	text   string // its beginning
	length int    // of its longest repetition
	times  uint64
	bytes  uint64
}

// newPassagePage begins the page, if it was asked for.
func newPassagePage(c *config.Substr, std files.Streams) (p *passagePage, err error) {
	if c.Report == "" {
		return nil, nil
	}
	p = &passagePage{
		started: time.Now(), passages: map[substr.Place]*passage{}, rng: rand.New(rand.NewPCG(passageSeed, 0)),
	}
	if p.values, err = stream.NewValues(c.ReportBy); err != nil {
		return nil, usage.Error(fmt.Errorf("--report-by: %w", err))
	}
	p.Fields = c.ReportBy
	p.file, err = files.CreateResult(nil, c.Report, std) // sources have the inputs
	return p, err
}

// begin is called with each line.
func (p *passagePage) begin(line []byte, name string, number uint64) {
	if p == nil {
		return
	}
	p.record = report.Record{
		Number: p.record.Number + 1, Input: name, At: number, Fields: p.values.Of(line),
	}
}

// show takes in the passages of a text of that line.
func (p *passagePage) show(literal []byte, spans []substr.Span) (err error) {
	if p == nil {
		return nil
	}
	p.record.Removed = true
	if p.text, err = substr.Unquote(p.text[:0], literal); err != nil {
		return err
	}
	for _, s := range spans {
		p.count(s)
	}
	p.shown++
	place := len(p.examples)
	if place == shownRecords {
		if place = p.rng.IntN(p.shown); place >= shownRecords {
			return nil
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
	return nil
}

func passagesIn(spans []substr.Span) string {
	bytes := 0
	for _, s := range spans {
		bytes += s.End - s.Start
	}
	return fmt.Sprintf("%d repeated, %s", len(spans), units.Bytes(uint64(bytes)))
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

// end is called after each line.
func (p *passagePage) end() {
	if p != nil {
		p.Take(&p.record)
	}
}

func (p *passagePage) finish(complete bool) error {
	if p == nil {
		return nil
	}
	return p.file.Finish(complete, false)
}

// writePage writes the page, if there is one.
func (e *editor) writePage(c *config.Substr, std files.Streams) error {
	p := e.page
	if p == nil {
		return nil
	}
	run := &report.Run{
		Command: run.CommandLine(std.Args), Version: files.Version(), Seconds: time.Since(p.started).Seconds(),
		Records: e.records, Removed: e.touched, Unreadable: e.rejects, BytesIn: e.all,
		Words: report.Words{
			Headline: fmt.Sprintf("%.1f %% of %s of text is repeated", units.Percent(e.bytes, e.all),
				units.Bytes(e.all)),
			Counted: "with a repeated passage", Examples: "Records with repeated passages", Left: "Text",
			Alone: "What is repeated is marked.",
		},
		Figures: []report.Figure{
			{Value: report.Count(e.touched), Label: "records with a repeated passage", Class: "removed"},
			{Value: report.Count(e.spans), Label: "repeated passages, " + units.Bytes(e.bytes)},
		},
		Parameters: []report.Parameter{
			{Name: "field", Value: strings.Join(c.Field, ", ")},
			{Name: "minimum length", Value: fmt.Sprint(c.MinLength)}, {Name: "unit", Value: c.Unit},
			{Name: "action", Value: c.Action}, {Name: "against", Value: c.Against},
		},
	}
	run.Parameters = slices.DeleteFunc(run.Parameters, func(p report.Parameter) bool {
		return p.Value == "" || p.Value == "0"
	})
	p.Fill(run, nil)
	run.Examples, run.Rule = p.examples, "texts drawn at random, with a fixed seed"
	if list := p.listOf(); len(list.Rows) > 0 {
		run.Lists = []report.List{list}
	}
	return run.Write(p.file)
}

// listOf are the passages that are repeated most.
func (p *passagePage) listOf() report.List {
	list := report.List{
		Title: "Repeated passages", About: "Those that take the most bytes, without their first occurrence.",
		Columns: []string{"Beginning", "Times", "Longest", "Bytes"},
	}
	if p.more {
		list.About += fmt.Sprintf(" The first %s passages are told apart.", report.Count(maxPassages))
	}
	var all []*passage
	for _, of := range p.passages {
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b *passage) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.times, a.times), cmp.Compare(a.text, b.text))
	})
	for _, of := range all[:min(len(all), shownPassages)] {
		text := of.text
		if of.length > passageBytes {
			text += "…"
		}
		list.Rows = append(list.Rows, report.ListRow{Text: text, Cells: []string{
			report.Count(of.times), units.Bytes(uint64(of.length)), units.Bytes(of.bytes),
		}})
	}
	return list
}
