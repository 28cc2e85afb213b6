package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/boilerplate"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runBoilerplate reads the records twice: to count what the pages of a site have in common, and to
// cut that.
func runBoilerplate(ctx context.Context, c *config.Boilerplate, std files.Streams) (err error) {
	written := []string{c.Output, c.Cut, c.Report}
	std, inputs, done, err := files.ReadTwice(ctx, std, c.Filter.Input.Paths, written, c.TempDir, c.Quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	filter, err := leaveEditable(c.Filter.WithPaths(inputs), std)
	if err != nil {
		return err
	}
	t := &boilerplateTask{config: c, std: std}
	err = run.Filter(ctx, &filter, t, std)
	err = errors.Join(err, t.page.finish(err == nil), t.cut.finish(err == nil))
	return files.NameUnfinished(err, t.page.out(), t.cut.out())
}

// A boilerplateTask is the task of cutting boilerplate from the texts of records.
type boilerplateTask struct {
	run.Textless
	config *config.Boilerplate
	std    files.Streams

	table   *boilerplate.Table
	counted uint64 // records of the first reading
	edits   *boilerplateEditor
	cut     *cutList     // nil without --cut
	page    *passagePage // nil without --report
}

// Written returns the files that the run writes.
func (t *boilerplateTask) Written(c *config.Filter) []string {
	return append(c.Written(), t.config.Cut, t.config.Report)
}

// Method counts the parts of all records, and returns a method that edits the records by that.
func (t *boilerplateTask) Method(ctx context.Context, _ *config.Filter, from *run.Source) (*run.Method, error) {
	literals, err := from.Literals()
	if err != nil {
		return nil, usage.Error(err)
	}
	from.Stream.Within = t.config.Filter.Rule.Within.Field // which names sites, for sketchers of our own
	if err := from.CheckFields("--report-by", t.config.ReportBy...); err != nil {
		return nil, err
	}
	if t.table, err = t.count(ctx, from); err != nil {
		return nil, err
	}
	if t.page, err = beginPage(t.config.ReportFlags, t.std); err != nil {
		return nil, err
	}
	if t.cut, err = beginCutList(t.config, t.table, t.std); err != nil {
		return nil, errors.Join(err, t.page.finish(false))
	}
	t.edits = newBoilerplateEditor(t, literals)
	form := t.config.Filter.Rule.Within.Form
	needs := run.Needs{Whole: true} // what cannot be read was not counted either
	needs.SinkData.Fields = t.config.ReportBy
	if field := t.config.Filter.Rule.Within.Field; t.cut != nil && field != "" {
		needs.SinkData.Fields = append(slices.Clip(needs.SinkData.Fields), field)
	}
	return &run.Method{
		Stream: stream.Method{
			NewSketcher: func() stream.Sketcher { return boilerplate.NewSpotter(t.table, form) },
			Judge:       stream.ByRecord(t.edits.beginBatch, t.edits.judge),
		},
		Needs: needs, Sinks: []stream.Sink{stream.SinkFunc(t.edits.Observe)},
		Editing: stream.Editing{Edit: t.edits.edit},
		Calls: run.Calls{
			End:     func(*run.Outputs) error { return t.end(strings.Join(from.TextFields(), ", ")) },
			Summary: t.summary,
		},
	}, nil
}

// count reads all records and counts what their sites have in common.
func (t *boilerplateTask) count(ctx context.Context, from *run.Source) (table *boilerplate.Table, err error) {
	unit, err := boilerplate.ParseUnit(t.config.Part)
	if err != nil {
		return nil, usage.Error(fmt.Errorf("--part: %w", err))
	}
	counter, err := boilerplate.NewCounter(boilerplate.Options{
		Unit: unit, MinShare: float64(t.config.MinShare), MinRecords: uint64(t.config.MinRecords),
		Memory: tableMemory(t.config.Memory), TempDir: t.config.TempDir,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, counter.Close()) }()
	r := run.Reading{Method: stream.Method{
		NewSketcher: func() stream.Sketcher { return boilerplate.NewSketcher(unit, t.config.Filter.Rule.Within.Form) },
		Judge:       run.Each(counter.Add),
	}}
	r.Sinks = []stream.Sink{stream.SinkFunc(func(*stream.Decided) error {
		t.counted++
		return nil
	})}
	_, err = from.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	return counter.Table()
}

// summary says what was cut.
func (t *boilerplateTask) summary(stream.Stats) string {
	n := t.edits.counts
	s := fmt.Sprintf("%s of text, %s (%.1f %%) cut from %s: %s that at least %s of the records of a site have",
		units.Bytes(n.all), units.Bytes(n.bytes), units.Percent(n.bytes, n.all), units.Of(n.touched, "record"),
		units.Of(uint64(t.table.Len()), "different "+t.config.Part), t.config.MinShare)
	if n.whole > 0 {
		s += fmt.Sprintf("; %s of nothing else stayed whole", units.Of(n.whole, "record"))
	}
	if 2*n.undivided > n.records {
		s += fmt.Sprintf("; %s have a long text of a single %s, from which nothing can be cut: %s",
			units.Of(n.undivided, "record"), t.config.Part, t.instead())
	}
	return s
}

// instead returns what to do about texts of a single part.
func (t *boilerplateTask) instead() string {
	if t.config.Part == "sentence" {
		return "break texts into lines first"
	}
	return "give --part sentence, or break texts into lines first"
}

// end checks that as many records have come again as were counted, and writes the page.
func (t *boilerplateTask) end(fields string) error {
	switch n := t.edits.counts.records; {
	case n > t.counted:
		return errGrown
	case n < t.counted:
		return errShrunk
	}
	return t.writePage(fields)
}

// writePage writes the page, if there is one.
func (t *boilerplateTask) writePage(fields string) error {
	p, c, n := t.page, t.config, t.edits.counts
	if p == nil {
		return nil
	}
	p.end()
	return p.write(&report.Run{
		Origin:  run.OriginOf(t.std.Args, time.Since(p.started)),
		Records: n.records, Removed: n.touched, BytesIn: n.all,
		Empty: n.textless, Unreadable: n.unreadable, CutOff: n.cutOff,
		Words: report.Words{
			Headline: fmt.Sprintf("%.1f %% of %s of text is boilerplate", units.Percent(n.bytes, n.all),
				units.Bytes(n.all)),
			Counted: "with boilerplate", Examples: "Records with boilerplate", Left: "Text",
			Alone: "What is cut is marked.",
		},
		Figures: []report.Figure{
			{Value: units.Count(n.touched), Label: "records with boilerplate", Class: "removed"},
			{Value: units.Bytes(n.bytes), Label: "cut"},
			{Value: units.Count(n.whole), Label: "records of nothing else, which stay whole"},
		},
		Parameters: []report.Parameter{
			{Name: "field", Value: fields}, {Name: "within", Value: c.Within},
			{Name: "minimum share", Value: c.MinShare.String()},
			{Name: "minimum of records", Value: fmt.Sprint(c.MinRecords)}, {Name: "part", Value: c.Part},
		},
	}, report.List{Title: "Boilerplate", About: "What takes the most bytes."})
}
