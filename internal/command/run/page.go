package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Page collects what the page of --report shows.
type Page struct {
	report.Collector
	record     report.Record                // scratch
	fields     int                          // of other sinks, which precede those of the page
	first      uint64                       // records in the memory before the run
	similarity func(stream.Verdict) float64 // 0 if unknown
	measure    report.Measure               // what that is, unless a verdict is one of containment
	Counts     func(*stream.Decided) bool   // whether a record belongs to the subset with its own counts
	audit      *audit.Audit                 // of a sample; nil unless requested
}

// collectPage has the page observe all records, if there is one.
func (o *Outputs) collectPage(j job, by *Method) {
	if o.files.report == nil {
		return
	}
	c, exact := j.Config, by.memory().Exact
	p := &Page{similarity: similarityOf(j, by), measure: wayOf(j, by), Counts: isDuplicate}
	p.Fields = c.Report.ReportBy
	if c.Report.Audit > 0 {
		p.audit = audit.New(c.Report.Audit, auditSeed, MeasureOf(c))
	}
	p.Threshold = method.For(c.Method).Page(c.Method, by.Keys).Threshold
	switch {
	case by.Found != nil:
		by.Found.Collect(p)
	case exact != nil && o.runs.replayed() == nil:
		// A run that repeats verdicts does not know which numbers its records had.
		p.Originals, p.first = true, exact.Stats().Records
		p.record.Number = p.first
	}
	if exact.Forgets() {
		p.NameOriginal = originalName(by)
	}
	p.fields = len(o.opts.Fields)
	o.opts.Fields, o.opts.Excerpt = append(o.opts.Fields, c.Report.ReportBy...), p.measure.Excerpt()
	if p.Transformed = transformationOf(c, p.measure); p.Transformed != nil {
		o.opts.Excerpt = p.Transformed.Excerpt
	}
	p.Unordered = c.Rule.Text.ShingleSize == 1 && hasWords(c)
	o.notify(stream.SinkFunc(p.Observe))
	o.page = p
}

// transformationOf describes how texts are changed before they are compared, if readers could not
// infer the compared text from the original.
func transformationOf(c *config.Filter, m report.Measure) *report.Transformation {
	text := c.Rule.Text
	if text.Markup == "none" && !changesWords(text.Normalize) {
		return nil
	}
	compared, err := sketchers.ComparedText(c.Method)
	if err != nil {
		return nil // texts that are not sketched, such as vectors
	}
	t := &report.Transformation{Seen: "The texts as they came", Excerpt: m.Excerpt()}
	t.Of = func(text []byte) (_, seen []byte) { return compared(text), text }
	if text.Markup != "none" && text.Markup != "markdown" {
		t.Seen, t.Excerpt = "All visible text", report.PageExcerpt
		t.Of = func(text []byte) (_, seen []byte) { return compared(text), sketchers.VisibleText(text) }
	}
	return t
}

// changesWords reports whether a normalization does more to words than a reader would.
func changesWords(normalize string) bool {
	return !slices.Contains([]string{"", "none", "nfkc-fold"}, normalize)
}

// hasWords reports whether texts are split into words.
func hasWords(c *config.Filter) bool {
	return slices.Contains([]string{"word", "word-grams", "whitespace", "uax29"}, c.Rule.Text.Tokenize) &&
		c.Rule.Parts.Method == ""
}

// similarityOf returns a function for the similarity of a duplicate to an earlier record, as its
// verdict says.
func similarityOf(j job, by *Method) func(stream.Verdict) float64 {
	rule := by.Keys.Rule
	if j.Config.Memory.Kind == spec.MemoryAuto {
		rule = j.Config.Memory.AfterLimit // of those without originals
	}
	hasVotes := j.Config.Rule.Parts.Method == "" && isSimilar(by)
	return func(v stream.Verdict) float64 {
		switch {
		case v.Original > 0:
			return float64(v.Similarity)
		case v.Votes == 0 || !hasVotes:
			return 0
		}
		return rule.Similarity(int(v.Votes))
	}
}

// wayOf is what similarities are. Groups join records either way, and do not say which.
func wayOf(j job, by *Method) report.Measure {
	rule := j.Config.Rule
	switch {
	case rule.Samples == nil && rule.Verify != spec.VerifyContainment:
		return report.Alike
	case by.Found != nil:
		return report.InOther
	}
	return report.InEarlier
}

// isSimilar reports whether what is found has a similarity.
func isSimilar(by *Method) bool { return by.Found == nil || by.Found.Name != nil }

// Observe adds a record to the page.
func (p *Page) Observe(d *stream.Decided) error {
	r := &p.record
	r.Number++
	r.Input, r.At, r.ID, r.Fields, r.Text = d.Input, d.Record, d.ID, d.Fields[p.fields:], d.Excerpt
	r.Removed, r.Original, r.Similarity, r.Measure = p.Counts(d), 0, 0, p.measure
	if r.Removed {
		r.Original, r.Similarity = d.Verdict.Original, p.similarity(d.Verdict)
	}
	if r.Measure == report.InEarlier && d.Verdict.Contains {
		r.Measure = report.HasEarlier
	}
	p.Collector.Add(r)
	switch number := r.Number - p.first; {
	case p.audit == nil:
	case d.Problem == (record.Problem{}):
		p.audit.Show(number, r.Removed)
	default:
		p.audit.Pass(number)
	}
	return nil
}

func isDuplicate(d *stream.Decided) bool { return d.Fate == stream.Duplicate }

// writePage writes the page of a complete run. A run that has failed gets no page.
func (w *work) writePage(ctx context.Context, o outcome, failed error) error {
	file := w.to.files.report
	if file == nil {
		return nil
	}
	if failed != nil {
		return file.Finish(false, false)
	}
	if err := w.readOriginals(ctx); err != nil {
		return errors.Join(err, file.Finish(false, false))
	}
	found, err := w.auditPage(ctx)
	if err != nil {
		return errors.Join(err, file.Finish(false, false))
	}
	err = w.pageOf(o, found).Write(file)
	return errors.Join(err, file.Finish(err == nil, false))
}

// pageOf returns the contents of the page.
func (w *work) pageOf(o outcome, found *audited) *report.Run {
	s := o.stats
	run := &report.Run{
		Origin: OriginOf(w.from.Std.Args, o.elapsed), Parameters: w.parameters(),
		Records: s.Records, Kept: s.Kept(), Removed: s.Duplicates, Empty: s.Empty,
		Unreadable: s.Rejects.Total() - s.Rejects.CutOff(), CutOff: s.Rejects.CutOff(), BytesIn: s.BytesIn,
	}
	if w.to.texts != nil {
		run.Verdict = w.verdict(o)
	}
	w.describeSimilarity(run, found)
	describeAudit(run, found)
	w.describeCurve(run)
	if w.by.Found != nil {
		w.by.Found.Describe(run, w.to.page, false)
	}
	if before := w.to.opts.From.Records; before > 0 {
		run.Notes = append(run.Notes, fmt.Sprintf("This run went on after record %s of one that was interrupted. The "+
			"counts above are of both, what follows is of the records after it.", units.Count(before)))
	}
	if of := w.to.runs.replayed(); of != nil {
		run.Repeats = fmt.Sprintf("The index knows this input from run %d of %s: these are the same verdicts again.",
			of.Number, of.Ended.Format(time.DateTime))
	}
	w.to.page.Fill(run, originalName(w.by))
	w.addShape(run)
	if w.by.Found != nil {
		w.by.Found.Describe(run, w.to.page, true)
	}
	return run
}

// OriginOf describes the origin of the page of a command with these arguments that ends now.
func OriginOf(args []string, took time.Duration) report.Origin {
	return report.Origin{
		Command: CommandLine(args), Version: files.Version(), Ended: time.Now(), Seconds: took.Seconds(),
	}
}

// originalName says what originals are called; it is nil if that is not known.
func originalName(by *Method) func(uint64) string {
	exact := by.memory().Exact
	nameOf := func(original uint64) []byte { return exact.Name(nil, original) }
	switch {
	case by.Found != nil && by.Found.Name != nil:
		nameOf = by.Found.Name
	case exact == nil:
		return nil
	}
	return func(original uint64) string { return shown.Plain(nameOf(original)) }
}

// describeSimilarity explains the similarities and their bias: records with lower estimates were
// not removed, so the remaining estimates are too high on average.
func (w *work) describeSimilarity(run *report.Run, found *audited) {
	c := w.Config
	page := method.For(c.Method).Page(c.Method, w.by.Keys)
	if isSimilar(w.by) {
		run.Similar.Source = page.Source
	}
	const hint = "--audit 2000, or the command audit, says of how many."
	switch {
	case found != nil && found.Removed.Records == 0:
	case found != nil:
		run.Similar.About = fmt.Sprintf("Of %s compared exactly, %s are below the threshold.",
			units.Of(uint64(found.Removed.Sample), "removed record"), units.Count(uint64(found.Below)))
	case w.by.Found != nil || !page.Banded || c.Rule.Verify != spec.VerifySignature:
	case !c.Memory.IsExact():
		run.Similar.About = fmt.Sprintf("Votes cannot say less than %.2f, since fewer remove nothing: the exact "+
			"similarity of some records is lower. %s", w.by.Keys.Rule.Similarity(w.by.Keys.Rule.Votes), hint)
	default:
		run.Similar.About = "What has a lower estimate was not removed, so the exact similarity of some records is " +
			"lower. " + hint
	}
}

// describeCurve adds the probability with which pairs are found, if bands find them.
func (w *work) describeCurve(run *report.Run) {
	c := w.Config
	if run.Similar.Source == "" || !method.For(c.Method).Page(c.Method, w.by.Keys).Banded {
		return
	}
	run.Curve = CurveOf(w.by.Keys.Rule)
	if c.Memory.IsExact() {
		run.CurveNote = "A pair that is found is removed if its similarity is at least the threshold."
	}
}

// CurveOf returns the probability of finding a pair, by its similarity.
func CurveOf(rule lsh.Banding) (points []report.Point) {
	for i := 0; i <= 200; i++ {
		points = append(points, report.Point{Similarity: float64(i) / 200, Probability: rule.Catch(float64(i) / 200)})
	}
	return points
}

// ParametersOf returns the parameters that determine what is removed from a source, as a page shows
// them.
func ParametersOf(c *config.Filter, from *Source) []report.Parameter {
	w := work{
		job: job{Config: c, Task: Filtering{}}, from: from, by: &Method{Keys: from.Keys}, to: &Outputs{},
	}
	return w.parameters()
}

// parameters returns the parameters that determine what is removed.
func (w *work) parameters() (list []report.Parameter) {
	add := func(name, format string, values ...any) {
		list = append(list, report.Parameter{Name: name, Value: fmt.Sprintf(format, values...)})
	}
	c := w.Config
	add("format", "%s", w.from.Dialect)
	add("field", "%s", strings.Join(w.from.TextFields(), ", "))
	var own []report.Parameter
	ofRecords, ofMemory := false, false
	if w.by.Found != nil {
		ofRecords, ofMemory = w.by.Found.Parameters(func(name, format string, values ...any) {
			own = append(own, report.Parameter{Name: name, Value: fmt.Sprintf(format, values...)})
		})
	}
	if ofRecords {
		return append(list, own...)
	}
	page := method.For(c.Method).Page(c.Method, w.by.Keys)
	addAll := func(parameters []bloomlsh.Parameter) {
		for _, p := range parameters {
			add(p.Name, "%s", p.Value)
		}
	}
	addAll(page.Parameters)
	if c.Rule.Within.Field != "" {
		add("within", "%s", c.Rule.Within)
	}
	add("markup", "%s", c.Rule.Text.Markup)
	add("memory", "%s", c.Memory.Kind)
	if ofMemory {
		return append(list, own...)
	}
	if planned := w.by.memory().Planned(); planned > 0 {
		add("capacity", "%s", units.Count(planned))
	}
	addAll(page.Memory)
	if c.Memory.Index != "" {
		add("index", "%s", w.indexes.name(c.Memory.Index))
	}
	for _, dir := range c.Memory.Against {
		add("against", "%s", w.indexes.name(dir))
	}
	add("remember", "%s", c.Memory.Remember)
	return list
}
