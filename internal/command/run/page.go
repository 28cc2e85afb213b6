package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Page collects what the page of --report shows.
type Page struct {
	report.Collector
	record     report.Record                // scratch
	fields     int                          // those of a record that are of others come before its own
	first      uint64                       // how many records the memory had before
	similarity func(stream.Verdict) float64 // 0 if it is not known
	way        report.Way                   // what that is, but where a verdict says that it contains
	Counts     func(*stream.Decided) bool   // whether a record is one of those that are counted beside all
	audit      *audit.Audit                 // of a sample; nil if it was not asked for
}

// collectPage has the page told of all records, if there is to be one.
func (f *Run) collectPage() {
	if f.Out.report == nil {
		return
	}
	c := f.Config
	f.page = &Page{similarity: f.similarityOf(), way: f.wayOf(), Counts: isDuplicate}
	f.page.Fields = c.Report.ReportBy
	if c.Report.Audit > 0 {
		f.page.audit = audit.New(c.Report.Audit, auditSeed, MeasureOf(c))
	}
	f.page.Threshold = method.For(c.Method).Page(c.Method, f.Keys).Threshold
	switch t, isShown := f.Task.(shownTask); {
	case isShown:
		t.Collect(f.page)
	case f.Judging.Exact != nil && f.runs.replayed() == nil:
		// A run that repeats verdicts does not know which numbers its records had.
		f.page.Originals, f.page.first = true, f.Judging.Exact.Stats().Records
		f.page.record.Number = f.page.first
	}
	if f.Judging.Exact.Forgets() {
		f.page.NameOriginal = f.originalName()
	}
	f.page.fields = len(f.Opts.Fields)
	f.Opts.Fields, f.Opts.Excerpt = append(f.Opts.Fields, c.Report.ReportBy...), f.page.way.Excerpt()
	f.Opts.Sinks = append(f.Opts.Sinks, stream.SinkFunc(f.page.Take))
}

// similarityOf is how similar a duplicate is to an earlier record, as far as a verdict says.
func (f *Run) similarityOf() func(stream.Verdict) float64 {
	rule := f.Keys.Rule
	if f.Config.Memory.Kind == spec.MemoryAuto {
		rule = f.Config.Memory.AfterLimit // of those without originals
	}
	return func(v stream.Verdict) float64 {
		switch {
		case v.Original > 0:
			return float64(v.Similarity)
		case v.Votes == 0 || f.Config.Rule.Parts.Method != "" || !f.isSimilar():
			return 0
		}
		return rule.Similarity(int(v.Votes))
	}
}

// wayOf is what similarities are. Groups join records either way, and do not say which.
func (f *Run) wayOf() report.Way {
	_, isShown := f.Task.(shownTask)
	switch {
	case f.Config.Rule.Samples == nil && f.Config.Rule.Verify != spec.VerifyContainment:
		return report.Alike
	case isShown:
		return report.InOther
	}
	return report.InEarlier
}

// isSimilar reports whether what is found has a similarity.
func (f *Run) isSimilar() bool {
	t, isShown := f.Task.(shownTask)
	return !isShown || t.IsSimilar()
}

// Take hands over a record.
func (p *Page) Take(d *stream.Decided) error {
	r := &p.record
	r.Number++
	r.Input, r.At, r.ID, r.Fields, r.Text = d.Input, d.Record, d.ID, d.Fields[p.fields:], d.Excerpt
	r.Removed, r.Original, r.Similarity, r.Way = p.Counts(d), 0, 0, p.way
	if r.Removed {
		r.Original, r.Similarity = d.Verdict.Original, p.similarity(d.Verdict)
	}
	if r.Way == report.InEarlier && d.Verdict.Contains {
		r.Way = report.HasEarlier
	}
	p.Collector.Take(r)
	if p.audit != nil && d.Problem == (stream.Problem{}) {
		p.audit.Show(r.Number-p.first, r.Removed)
	}
	return nil
}

func isDuplicate(d *stream.Decided) bool { return d.Fate == stream.Duplicate }

// writePage writes the page of a run that is complete. Of one that has failed there is none.
func (f *Run) writePage(ctx context.Context, s stream.Stats, failed error) error {
	file, c := f.Out.report, f.Config
	if file == nil {
		return nil
	}
	if failed != nil {
		return file.Finish(false, false)
	}
	if err := f.readOriginals(ctx); err != nil {
		return errors.Join(err, file.Finish(false, false))
	}
	found, err := f.auditPage(ctx)
	if err != nil {
		return errors.Join(err, file.Finish(false, false))
	}
	run := &report.Run{
		Command: CommandLine(f.Std.Args), Version: files.Version(), Seconds: f.Progress.elapsed.Seconds(),
		Parameters: f.Parameters(), Records: s.Records, Kept: s.Kept(), Removed: s.Duplicates, Empty: s.Empty,
		Unreadable: s.Rejects.Total() - s.Rejects.CutOff(), CutOff: s.Rejects.CutOff(), BytesIn: s.BytesIn,
	}
	if f.texts != nil {
		run.Verdict = verdictOf(f.doubts)
	}
	page := method.For(c.Method).Page(c.Method, f.Keys)
	if f.isSimilar() {
		run.Similar.Source = page.Source
	}
	run.Similar.About = f.aboutSimilarity(found)
	describeAudit(run, found)
	if run.Similar.Source != "" && page.Banded {
		run.Curve = CurveOf(f.Keys.Rule)
		if f.Config.Memory.IsExact() && f.Config.Rule.Verify != spec.VerifyNone {
			run.CurveNote = "A pair that is found is removed if its similarity is at least the threshold."
		}
	}
	shown, isShown := f.Task.(shownTask)
	if isShown {
		shown.Describe(run, f.page, false)
	}
	if f.Opts.From.Records > 0 {
		run.Notes = append(run.Notes, fmt.Sprintf("This run went on after record %s of one that was interrupted. The "+
			"counts above are of both, what follows is of the records after it.", units.Count(f.Opts.From.Records)))
	}
	if of := f.runs.replayed(); of != nil {
		run.Repeats = fmt.Sprintf("The index knows this input from run %d of %s: these are the same verdicts again.",
			of.Number, of.Ended.Format(time.DateTime))
	}
	f.page.Fill(run, f.originalName())
	if isShown {
		shown.Describe(run, f.page, true)
	}
	err = run.Write(file)
	return errors.Join(err, file.Finish(err == nil, false))
}

// originalName says what originals are called, or is nil if that is not known.
func (f *Run) originalName() func(uint64) string {
	nameOf := func(original uint64) []byte { return f.Judging.Exact.Name(nil, original) }
	switch t, isShown := f.Task.(shownTask); {
	case isShown && t.IsSimilar():
		nameOf = t.Name
	case f.Judging.Exact == nil:
		return nil
	}
	return func(original uint64) string { return shown.Plain(nameOf(original)) }
}

// aboutSimilarity says what similarities do not say: what has a lower estimate was not removed, so
// that they seem to be better than they are.
func (f *Run) aboutSimilarity(found *audit.Finding) string {
	c := f.Config
	_, isShown := f.Task.(shownTask)
	bySets := !isShown && method.For(c.Method).Page(c.Method, f.Keys).Banded
	const hint = "--audit 2000, or the command audit, says of how many."
	switch {
	case found != nil && found.Removed == 0:
		return ""
	case found != nil:
		return fmt.Sprintf("Of %s removed records that were compared exactly, %s are below the threshold.",
			units.Count(uint64(found.SampleRemoved)), units.Count(uint64(found.Below)))
	case !bySets || c.Rule.Verify != spec.VerifySignature:
		return ""
	case !c.Memory.IsExact():
		return fmt.Sprintf("Votes cannot say less than %.2f, since fewer remove nothing: the exact similarity of some "+
			"records is lower. %s", f.Keys.Rule.Similarity(f.Keys.Rule.Votes), hint)
	}
	return "What has a lower estimate was not removed, so the exact similarity of some records is lower. " + hint
}

// CurveOf is how likely a pair is caught.
func CurveOf(rule bloomlsh.Banding) (points []report.Point) {
	for i := 0; i <= 200; i++ {
		points = append(points, report.Point{Similarity: float64(i) / 200, Probability: rule.Catch(float64(i) / 200)})
	}
	return points
}

// Parameters are those that decide what is removed.
func (f *Run) Parameters() (list []report.Parameter) {
	add := func(name, format string, values ...any) {
		list = append(list, report.Parameter{Name: name, Value: fmt.Sprintf(format, values...)})
	}
	c := f.Config
	add("format", "%s", f.Source.Dialect)
	add("field", "%s", strings.Join(f.Source.TextFields(), ", "))
	shown, isShown := f.Task.(shownTask)
	var own []report.Parameter
	ofRecords, ofMemory := false, false
	if isShown {
		ofRecords, ofMemory = shown.Parameters(func(name, format string, values ...any) {
			own = append(own, report.Parameter{Name: name, Value: fmt.Sprintf(format, values...)})
		})
	}
	if ofRecords {
		return append(list, own...)
	}
	page := method.For(c.Method).Page(c.Method, f.Keys)
	addAll := func(parameters []bloomlsh.Parameter) {
		for _, p := range parameters {
			add(p.Name, "%s", p.Value)
		}
	}
	addAll(page.Parameters)
	add("markup", "%s", c.Rule.Text.Markup)
	add("memory", "%s", c.Memory.Kind)
	if ofMemory {
		return append(list, own...)
	}
	if planned := f.Judging.Planned(); planned > 0 {
		add("capacity", "%s", units.Count(planned))
	}
	addAll(page.Memory)
	if c.Memory.Index != "" {
		add("index", "%s", f.indexes.name(c.Memory.Index))
	}
	for _, dir := range c.Memory.Against {
		add("against", "%s", f.indexes.name(dir))
	}
	add("remember", "%s", c.Memory.Remember)
	return list
}
