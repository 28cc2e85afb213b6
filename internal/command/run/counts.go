package run

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// checkCounted refuses fields that records do not have, for --count-by and --prefer, and a file
// whose name says what --counts is not.
func (f *Run) checkCounted() error {
	if f.Config.Memory.Counting == nil {
		return nil
	}
	if err := f.checkCountsName(); err != nil {
		return fmt.Errorf("--counts: %w", err)
	}
	if err := f.CheckFields("--count-by", f.Config.Memory.Counting.By...); err != nil {
		return err
	}
	field, _ := f.Config.Memory.Counting.RankField()
	return f.CheckFields("--prefer", field)
}

// checkCountsName refuses a file whose name says what it would not hold.
func (f *Run) checkCountsName() error {
	switch format := f.countsFormat(); {
	case format == "jsonl":
		return layout.HoldsOnly(f.Config.Output.Counts, format, "name it .jsonl, .tsv, .csv, .parquet or .arrow")
	case layout.IsColumnar(format):
		return layout.CheckNotCompressed(format, compress.Method{}, f.Config.Output.Counts)
	}
	return nil
}

// countGroups has the groups of a run counted: what it judges by the exact memory itself, and what
// it repeats here. It comes before other sinks ask for fields.
func (f *Run) countGroups() {
	m := f.Judging.Exact
	if m == nil || m.Counts == nil {
		return
	}
	f.Opts.Fields = m.Counts.What().Fields()
	f.Opts.Rank, f.Opts.ByLength = m.Counts.What().RankField()
	isResumed := f.Opts.From.Records > 0
	switch {
	case f.runs.replayed() != nil:
		m.Counts.NoteTo(nil) // the log is as it was
		m.Counts.BeginRun()
		f.Opts.Sinks = append(f.Opts.Sinks, stream.SinkFunc((&countedSink{counts: m.Counts}).Take))
	case f.runs != nil && f.runs.goesOn != nil:
		m.Counts.BeginRun()
		f.Opts.Sinks = append(f.Opts.Sinks, stream.SinkFunc((&countedSink{counts: m.Counts, of: f.runs.goesOn}).Take))
	case !isResumed:
		m.Counts.BeginRun()
	}
}

// A countedSink is told of records whose verdicts are repeated, which are counted already.
type countedSink struct {
	counts *counts.Counts
	of     *journal.Continuation // of which only the first records are; or nil
	taken  uint64
}

// Take marks the group of a removed record as one of this run.
func (s *countedSink) Take(d *stream.Decided) error {
	if s.of != nil && s.taken >= s.of.Again() {
		return nil
	}
	s.taken++
	if !d.Verdict.Duplicate || d.Verdict.Original == 0 {
		return nil
	}
	return s.counts.Mark(d.Verdict.Original)
}

// remembered is how many records the memory has in the end of a run that counts groups; else 0.
func (f *Run) remembered() uint64 {
	if m := f.Judging.Exact; m != nil && m.Counts != nil {
		return m.Counts.Records()
	}
	return 0
}

// countsFormat is the format of the file of --counts, which its name says: one of the results of
// commands, or else JSON Lines.
func (f *Run) countsFormat() string {
	if named := layout.ByPath(f.Config.Output.Counts); slices.Contains(layout.ResultFormats(), named) {
		return named
	}
	return "jsonl"
}

// writeCounts writes the groups of which the run has removed copies, as they are at its end, or
// were at the end of the run that it repeats.
func (f *Run) writeCounts() error {
	if f.Out.counts == nil {
		return nil
	}
	m := f.Judging.Exact
	at := m.Counts.Now()
	if run := f.runs.replayed(); run != nil {
		at = counts.Moment{Records: run.Remembered, Run: run.Number}
	}
	w, err := newGroupWriter(m, f.Out.counts, f.countsFormat())
	if err == nil {
		err = errors.Join(m.Counts.Each(at, w.write), w.close())
	}
	if err == nil {
		NoteBeyond(f.Std.Err, m.Counts.Beyond())
	}
	return err
}

// NoteBeyond says that some values of --count-by are not told apart, if there are such.
func NoteBeyond(to io.Writer, values uint64) {
	if values > 0 {
		shown.Notice(to, "--count-by: %s values were longer than 256 bytes, or came after 65,535 others of "+
			"their field: they stand under an empty name", units.Count(values))
	}
}
