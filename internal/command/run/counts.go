package run

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// checkCounted refuses fields of --count-by that records do not have, and a file of --counts whose
// name says another format.
func checkCounted(c *config.Filter, from *Source) error {
	counting := c.Memory.Counting
	if counting == nil {
		return nil
	}
	if err := checkCountsName(c.Output.Counts); err != nil {
		return fmt.Errorf("--counts: %w", err)
	}
	return from.CheckFields("--count-by", counting.By...)
}

// checkCountsName refuses a file whose name says another format.
func checkCountsName(path string) error {
	switch format := countsFormat(path); {
	case format == "jsonl":
		return layout.CheckFormat(path, format, "name it .jsonl, .tsv, .csv, .parquet or .arrow")
	case layout.IsColumnar(format):
		return layout.CheckNotCompressed(format, compress.Method{}, path)
	}
	return nil
}

// countGroups counts the groups of a run: the exact memory counts the records that it judges, and a
// sink those whose verdicts are repeated. Call it before other sinks ask for fields.
func (o *Outputs) countGroups(c *config.Filter, by *Method) (err error) {
	m := by.memory().Exact
	if m == nil || m.Counts == nil {
		return nil
	}
	o.opts.Fields = m.Counts.Selection().Fields()
	isResumed := o.opts.From.Records > 0
	switch {
	case o.runs.replayed() != nil:
		m.Counts.NoteTo(nil) // the log is as it was
		m.Counts.BeginRun()
		o.notify(stream.SinkFunc((&countedSink{counts: m.Counts}).Observe))
	case o.runs != nil && o.runs.continuation != nil:
		m.Counts.BeginRun()
		o.notify(stream.SinkFunc((&countedSink{counts: m.Counts, of: o.runs.continuation}).Observe))
	case !isResumed:
		m.Counts.BeginRun()
	}
	return nil
}

// A countedSink observes records whose verdicts are repeated, which were counted before.
type countedSink struct {
	counts *counts.Counts
	of     *journal.Continuation // set if only the first records are repeated
	taken  uint64
}

// Observe marks the group of a removed record as one of this run.
func (s *countedSink) Observe(d *stream.Decided) error {
	if s.of != nil && s.taken >= s.of.Again() {
		return nil
	}
	s.taken++
	if !d.Verdict.Duplicate || d.Verdict.Original == 0 {
		return nil
	}
	return s.counts.Mark(d.Verdict.Original)
}

// remembered returns how many records the memory has at the end of a run that counts groups; else
// 0.
func (m *Method) remembered() uint64 {
	if exact := m.memory().Exact; exact != nil && exact.Counts != nil {
		return exact.Counts.Records()
	}
	return 0
}

// countsFormat returns the format of the file of --counts, which follows from its name: a format of
// results, or JSON Lines by default.
func countsFormat(path string) string {
	if named := layout.ByPath(path); slices.Contains(layout.ResultFormats(), named) {
		return named
	}
	return "jsonl"
}

// writeCounts writes the groups from which the run has removed copies, as of its end, or as of the
// end of the run that it repeats.
func (w *work) writeCounts() error {
	file := w.to.files.counts
	if file == nil {
		return nil
	}
	m := w.by.memory().Exact
	at := m.Counts.Now()
	if run := w.to.runs.replayed(); run != nil {
		at = counts.Moment{Records: run.Remembered, Run: run.Number}
	}
	to, err := newGroupWriter(m, file, countsFormat(w.Config.Output.Counts))
	if err == nil {
		err = errors.Join(m.Counts.Each(at, to.write), to.close())
	}
	if err == nil {
		NoteBeyond(w.from.Std.Err, m.Counts.Overflow())
		noteUnread(w.from.Std.Err, m.Counts.Selection().Time, m.Counts.Unread())
	}
	return err
}

// noteUnread says that some times could not be read, so that the first and last times of --counts
// leave them out.
func noteUnread(to io.Writer, field string, unread counts.Unread) {
	if unread.Times > 0 {
		shown.Notice(to, "--counts: %s in the field %q cannot be read, and %s left out of first and last; the first: "+
			"%s", units.Of(unread.Times, "time"), field, isOrAre(unread.Times), unread.First)
	}
}

func isOrAre(n uint64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// NoteBeyond says how many values of --count-by were not told apart, if any.
func NoteBeyond(to io.Writer, values uint64) {
	if values > 0 {
		shown.Notice(to, "--count-by: %s longer than 256 bytes, or after 65,535 others of the field, "+
			"counted under an empty name", units.Of(values, "value"))
	}
}
