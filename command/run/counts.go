package run

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/memory/counts"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// checkCounted refuses fields that records do not have, for --count-by and --prefer, and a file
// whose name says what --counts is not.
func (f *Run) checkCounted() error {
	if f.Config.Counting == nil {
		return nil
	}
	if !f.countsAreColumns() {
		if err := formats.HoldsOnly(f.Config.Counts, "jsonl", "name it .jsonl or .tsv"); err != nil {
			return fmt.Errorf("--counts: %w", err)
		}
	}
	for _, field := range f.Config.Counting.By {
		if err := stream.CheckID(f.Opts.Format, field); err != nil {
			return fmt.Errorf("--count-by: %w", err)
		}
	}
	field, _ := f.Config.Counting.RankField()
	if err := stream.CheckID(f.Opts.Format, field); err != nil {
		return fmt.Errorf("--prefer: %w", err)
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
		f.Opts.Sinks = append(f.Opts.Sinks, &countedSink{counts: m.Counts})
	case f.runs != nil && f.runs.goesOn != nil:
		m.Counts.BeginRun()
		f.Opts.Sinks = append(f.Opts.Sinks, &countedSink{counts: m.Counts, of: f.runs.goesOn})
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

// Flush has nothing to do.
func (*countedSink) Flush() error { return nil }

// remembered is how many records the memory has in the end of a run that counts groups; else 0.
func (f *Run) remembered() uint64 {
	if m := f.Judging.Exact; m != nil && m.Counts != nil {
		return m.Counts.Records()
	}
	return 0
}

func (f *Run) countsAreColumns() bool {
	return strings.HasSuffix(compress.TrimSuffix(f.Config.Counts), ".tsv")
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
	w := &countWriter{
		memory: m, out: bufio.NewWriterSize(f.Out.counts, 64<<10),
		columns: f.countsAreColumns(),
	}
	err := errors.Join(m.Counts.Each(at, w.write), w.out.Flush())
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

// A countWriter writes a line for each group.
type countWriter struct {
	memory  *method.Exact
	out     *bufio.Writer
	columns bool // as columns, not as JSON

	line, name, best, by []byte // scratch
}

func (w *countWriter) write(g counts.Group) error {
	w.name, w.best = w.memory.Name(w.name[:0], g.Record), w.best[:0]
	if g.Best != g.Record && g.Best != 0 {
		w.best = w.memory.Name(w.best, g.Best)
	}
	if w.columns {
		w.line = w.appendColumns(w.line[:0], g)
	} else {
		w.line = w.appendObject(w.line[:0], g)
	}
	_, err := w.out.Write(append(w.line, '\n'))
	return err
}

func (w *countWriter) appendObject(dst []byte, g counts.Group) []byte {
	dst = append(append(dst, `{"id":`...), w.name...)
	dst = strconv.AppendUint(append(dst, `,"size":`...), g.Size, 10)
	if g.IsTimed {
		dst = appendTime(append(dst, `,"first":"`...), g.First)
		dst = append(appendTime(append(dst, `","last":"`...), g.Last), '"')
	}
	if len(w.best) > 0 {
		dst = append(append(dst, `,"best":`...), w.best...)
		dst = counts.AppendRankValue(append(dst, `,"rank":`...), g.Rank)
		dst = counts.AppendRankValue(append(dst, `,"best_rank":`...), g.BestRank)
	}
	if len(g.By) > 0 {
		dst = counts.AppendBy(append(dst, `,"by":`...), w.memory.Counts.What().By, g.By)
	}
	return append(dst, '}')
}

// appendColumns has the same columns in every line.
func (w *countWriter) appendColumns(dst []byte, g counts.Group) []byte {
	dst = append(appendColumn(dst, w.name), '\t')
	dst = strconv.AppendUint(dst, g.Size, 10)
	if w.memory.Counts.What().Time != "" {
		dst = append(dst, '\t')
		if g.IsTimed {
			dst = appendTime(dst, g.First)
		}
		dst = append(dst, '\t')
		if g.IsTimed {
			dst = appendTime(dst, g.Last)
		}
	}
	if w.memory.Counts.What().Prefer != "" {
		dst = append(appendColumn(append(dst, '\t'), w.best), '\t')
		dst = append(w.appendRank(dst, g.Rank), '\t')
		dst = w.appendRank(dst, g.BestRank)
	}
	for _, list := range g.By {
		w.by = counts.AppendValues(w.by[:0], list)
		dst = append(append(dst, '\t'), columnEscapes.Replace(string(w.by))...)
	}
	return dst
}

// appendRank appends a rank as a column, nothing for none.
func (w *countWriter) appendRank(dst, rank []byte) []byte {
	if len(rank) == 0 {
		return dst
	}
	w.by = counts.AppendRankValue(w.by[:0], rank)
	return appendColumn(dst, w.by)
}

func appendTime(dst []byte, second int64) []byte {
	return time.Unix(second, 0).UTC().AppendFormat(dst, time.RFC3339)
}
