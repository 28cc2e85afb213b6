package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/quality/report"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A pageSink collects what the page of --report shows.
type pageSink struct {
	report.Collector
	record     report.Record                // scratch
	first      uint64                       // how many records the memory had before
	similarity func(stream.Verdict) float64 // 0 if it is not known
	counts     func(*stream.Decided) bool   // whether a record is one of those that are counted beside all
}

// collectPage has the page told of all records, if there is to be one.
func (f *filterRun) collectPage() {
	if f.out.report == nil {
		return
	}
	c := f.c
	f.page = &pageSink{similarity: f.similarityOf(), counts: isDuplicate}
	f.page.Fields = c.Report.ReportBy
	switch {
	case c.Fingerprint != nil:
		f.page.Threshold = method.FingerprintParams(c).Similarity(c.Fingerprint.Distance)
	case c.Method == "":
		f.page.Threshold = c.Similar.Threshold
	}
	switch t, isShown := f.task.(shownTask); {
	case isShown:
		t.collect(f.page)
	case f.judging.Exact != nil && f.runs.replayed() == nil:
		// A run that repeats verdicts does not know which numbers its records had.
		f.page.Originals, f.page.first = true, f.judging.Exact.Stats().Records
		f.page.record.Number = f.page.first
	}
	f.opts.Fields, f.opts.Excerpt = c.Report.ReportBy, report.Excerpt
	f.opts.Sinks = append(f.opts.Sinks, f.page)
}

// similarityOf is how similar a duplicate is to an earlier record, as far as a verdict says.
func (f *filterRun) similarityOf() func(stream.Verdict) float64 {
	rule := f.keys.Rule
	if f.c.Memory == config.MemoryAuto {
		rule = f.c.AfterLimit // of those without originals
	}
	return func(v stream.Verdict) float64 {
		switch {
		case v.Original > 0:
			return float64(v.Similarity)
		case v.Votes == 0 || f.c.Method != "" || !f.isSimilar():
			return 0
		}
		return rule.Similarity(int(v.Votes))
	}
}

// isSimilar reports whether what is found has a similarity.
func (f *filterRun) isSimilar() bool {
	t, isShown := f.task.(shownTask)
	return !isShown || t.isSimilar()
}

// Take hands over a record.
func (p *pageSink) Take(d *stream.Decided) error {
	r := &p.record
	r.Number++
	r.Input, r.At, r.ID, r.Fields, r.Text = d.Input, d.Record, d.ID, d.Fields, d.Excerpt
	r.Removed, r.Original, r.Similarity = p.counts(d), 0, 0
	if r.Removed {
		r.Original, r.Similarity = d.Verdict.Original, p.similarity(d.Verdict)
	}
	p.Collector.Take(r)
	return nil
}

func isDuplicate(d *stream.Decided) bool { return d.Fate == stream.Duplicate }

// Flush has nothing to do: the page is written in the end.
func (*pageSink) Flush() error { return nil }

// writePage writes the page of a run that is complete. Of one that has failed there is none.
func (f *filterRun) writePage(ctx context.Context, s stream.Stats, failed error) error {
	file, c := f.out.report, f.c
	if file == nil {
		return nil
	}
	if failed != nil {
		return file.Finish(false, false)
	}
	if err := f.readOriginals(ctx); err != nil {
		return errors.Join(err, file.Finish(false, false))
	}
	run := &report.Run{
		Command: commandLine(f.std.Args), Version: files.Version(), Seconds: f.progress.elapsed.Seconds(),
		Parameters: f.parameters(), Records: s.Records, Kept: s.Kept(), Removed: s.Duplicates, Empty: s.Empty,
		Unreadable: s.Rejects.Total(), BytesIn: s.BytesIn,
	}
	run.Similar.Source = f.similaritySource()
	if run.Similar.Source != "" && c.Fingerprint == nil && !c.Similar.ByVectors() {
		run.Curve = curveOf(f.keys.Rule)
		if f.c.IsExact() && f.c.Verify != config.VerifyNone {
			run.CurveNote = "A pair that is found is removed if its similarity is at least the threshold."
		}
	}
	shown, isShown := f.task.(shownTask)
	if isShown {
		shown.describe(run, f.page, false)
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
	if isShown {
		shown.describe(run, f.page, true)
	}
	err := run.Write(file)
	return errors.Join(err, file.Finish(err == nil, false))
}

// originalName says what originals are called, or is nil if that is not known.
func (f *filterRun) originalName() func(uint64) string {
	nameOf := func(original uint64) []byte { return f.judging.Exact.Name(nil, original) }
	switch t, isShown := f.task.(shownTask); {
	case isShown && t.isSimilar():
		nameOf = t.name
	case f.judging.Exact == nil:
		return nil
	}
	return func(original uint64) (name string) {
		text := nameOf(original)
		if json.Unmarshal(text, &name) != nil {
			return string(text) // a number
		}
		return name
	}
}

// similaritySource says in words what similarities are from, or nothing if there are none.
func (f *filterRun) similaritySource() string {
	switch c := f.c; {
	case c.Method != "" || !f.isSimilar():
		return ""
	case c.Fingerprint != nil && c.Fingerprint.TLSH:
		return "distances of TLSH: one minus a 300th of each"
	case c.Fingerprint != nil:
		return "cosines, estimated from fingerprints"
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
