package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/report"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A pageSink collects what the page of --report shows.
type pageSink struct {
	report.Collector
	record     report.Record                // scratch
	first      uint64                       // how many records the memory had before
	similarity func(stream.Verdict) float64 // 0 if it is not known
}

// collectPage has the page told of all records, if there is to be one.
func (f *filterRun) collectPage() {
	if f.out.report == nil {
		return
	}
	c := f.c
	f.page = &pageSink{similarity: f.similarityOf()}
	f.page.Fields = c.Report.ReportBy
	if c.Method == "" {
		f.page.Threshold = c.Similar.Threshold
	}
	// A run that repeats verdicts does not know which numbers its records had.
	if f.exact != nil && f.runs.replayed() == nil {
		f.page.Originals, f.page.first = true, f.exact.stats().Records
		f.page.record.Number = f.page.first
	}
	f.opts.Fields, f.opts.Excerpt = c.Report.ReportBy, report.Excerpt
	f.opts.Sinks = append(f.opts.Sinks, f.page)
}

// similarityOf is how similar a duplicate is to an earlier record, as far as a verdict says.
func (f *filterRun) similarityOf() func(stream.Verdict) float64 {
	rule := f.keys.rule
	if f.c.Memory == config.MemoryAuto {
		rule = f.c.AfterLimit // of those without originals
	}
	return func(v stream.Verdict) float64 {
		switch {
		case v.Original > 0:
			return float64(v.Similarity)
		case v.Votes == 0 || f.c.Method != "":
			return 0
		}
		return rule.Similarity(int(v.Votes))
	}
}

// Take hands over a record.
func (p *pageSink) Take(d *stream.Decided) error {
	r := &p.record
	r.Number++
	r.Input, r.At, r.ID, r.Fields, r.Text = d.Input, d.Record, d.ID, d.Fields, d.Excerpt
	r.Removed, r.Original, r.Similarity = d.Fate == stream.Duplicate, 0, 0
	if r.Removed {
		r.Original, r.Similarity = d.Verdict.Original, p.similarity(d.Verdict)
	}
	p.Collector.Take(r)
	return nil
}

// Flush has nothing to do: the page is written in the end.
func (*pageSink) Flush() error { return nil }

// writePage writes the page of a run that is complete. Of one that has failed there is none.
func (f *filterRun) writePage(ctx context.Context, s stream.Stats, failed error) error {
	file := f.out.report
	if file == nil {
		return nil
	}
	if failed != nil {
		return file.finish(false, false)
	}
	if err := f.readOriginals(ctx); err != nil {
		return errors.Join(err, file.finish(false, false))
	}
	run := &report.Run{
		Command: commandLine(f.std.Args), Version: Version(), Seconds: f.progress.elapsed.Seconds(),
		Parameters: f.parameters(), Records: s.Records, Kept: s.Kept(), Removed: s.Duplicates, Empty: s.Empty,
		Unreadable: s.Rejects.Total(), BytesIn: s.BytesIn,
	}
	run.Similar.Source = f.similaritySource()
	if run.Similar.Source != "" && !f.c.Similar.ByVectors() {
		run.Curve = curveOf(f.keys.rule)
		if f.exact != nil && f.c.Verify != config.VerifyNone {
			run.CurveNote = "A pair that is found is removed if its similarity is at least the threshold."
		}
	}
	if f.opts.From.Records > 0 {
		run.Notes = append(run.Notes, fmt.Sprintf("This run went on after record %s of one that was interrupted. The "+
			"counts above are of both, what follows is of the records after it.", report.Count(f.opts.From.Records)))
	}
	if of := f.runs.replayed(); of != nil {
		run.Repeats = fmt.Sprintf("The index knows this input from run %d of %s: these are the same verdicts again.",
			of.Number, of.Ended.Format(time.DateTime))
	}
	f.page.Fill(run, f.originalName())
	return errors.Join(run.Write(file), file.finish(true, false))
}

// originalName says what originals are called, or is nil if that is not known.
func (f *filterRun) originalName() func(uint64) string {
	if f.exact == nil {
		return nil
	}
	return func(original uint64) (name string) {
		text := f.exact.name(nil, original)
		if json.Unmarshal(text, &name) != nil {
			return string(text) // a number
		}
		return name
	}
}

// similaritySource says in words what similarities are from, or nothing if there are none.
func (f *filterRun) similaritySource() string {
	switch c := f.c; {
	case c.Method != "":
		return ""
	case c.Similar.ByVectors():
		return "the cosine of vectors"
	case c.Memory == config.MemoryExact && c.Verify == config.VerifyText:
		return "compared exactly"
	case c.Memory == config.MemoryExact:
		return "estimated from signatures"
	case c.Memory == config.MemoryAuto:
		return "estimated from signatures, and from votes where Bloom filters have judged"
	}
	return "estimated from votes"
}

// curveOf is how likely a pair is caught.
func curveOf(rule bloomlsh.Banding) (points []report.Point) {
	for i := 0; i <= 200; i++ {
		points = append(points, report.Point{Similarity: float64(i) / 200, Probability: rule.Catch(float64(i) / 200)})
	}
	return points
}

// parameters are those that decide what is removed.
func (f *filterRun) parameters() (list []report.Parameter) {
	add := func(name, format string, values ...any) {
		list = append(list, report.Parameter{Name: name, Value: fmt.Sprintf(format, values...)})
	}
	c := f.c
	add("format", "%s", f.commit.format)
	add("field", "%s", strings.Join(c.Records.Fields, ", "))
	switch {
	case c.Method != "":
		add("method", "%s", c.Method)
		add("overlap", "%g", c.Overlap)
	case c.Similar.ByVectors():
		add("threshold", "%g", c.Similar.Threshold)
		add("sketch", "%s", c.Similar.Sketch)
		add("model", "%s", c.Model)
		add("hash of the model", "%s", f.keys.model.Hash())
	default:
		p := f.keys.params
		add("threshold", "%g", c.Similar.Threshold)
		add("a duplicate has", "%s", f.keys.rule)
		add("permutations", "%d", p.NumPerm)
		add("sketch", "%s", p.Sketch)
		add("normalize", "%s", p.Normalize)
		add("tokenize", "%s", p.Tokenize)
		add("shingle size", "%d", p.ShingleSize)
	}
	add("markup", "%s", c.Text.Markup)
	switch {
	case c.Similar.ByVectors():
	case c.IsExact():
		add("memory", "%s", c.Memory)
		add("verify", "%s", c.Verify)
	default:
		add("memory", "%s", c.Memory)
		add("capacity", "%s", report.Count(uint64(c.Index.Capacity)))
		add("fp rate", "%g", c.Index.FPRate)
	}
	if c.Index.Index != "" {
		add("index", "%s", c.Index.Index)
	}
	for _, dir := range c.Index.Against {
		add("against", "%s", dir)
	}
	add("remember", "%s", c.Index.Remember)
	return list
}

// commandLine quotes arguments as a shell takes them.
func commandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = arg
		if arg == "" || strings.ContainsFunc(arg, needsQuotes) {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func needsQuotes(r rune) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,%@+"
	return !strings.ContainsRune(plain, r)
}
