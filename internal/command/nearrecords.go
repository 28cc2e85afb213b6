package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/stream"
)

// nearRecords answers each record. Records are sketched in the same way as those of the index. The
// index is the judge, which decides nothing, and a sink writes what it has found.
func nearRecords(ctx context.Context, c *config.Near, std files.Streams, s *search) error {
	answers := &nearSearch{search: s, count: c.Count, out: bufio.NewWriter(std.Out)}
	filter := c.Filter
	if c.Vector != "" {
		filter = filter.WithDims(s.keys.Model.Dims())
	}
	by := run.Sketching{New: s.newSketcher}
	_, err := run.Read(ctx, &filter, by, std, func(from *run.Source) (run.Reading, error) {
		judge := s.keys.Failures.Before(stream.ByRecord(answers.begin, answers.judge))
		r, err := run.JudgedBy(from, c.ID, judge, answers)
		if slices.Contains(from.Paths, "-") {
			// a program that asks over a pipe waits for an answer in any case
			r.Needs.Limits = func(stream.Limits) stream.Limits { return stream.Limits{} }
		}
		return r, err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: name a FILE with records, or give a text to look for with --text TEXT", err)
	case err == nil && answers.records == 1 && answers.unreadable == 1:
		return fmt.Errorf("the only record could not be read: %s: give --format or --field", answers.why)
	case err == nil && answers.records > 0 && answers.unreadable == answers.records:
		return fmt.Errorf("none of the %d records could be read, the first: %s: give --format or --field",
			answers.records, answers.why)
	}
	return err
}

// nearSearch is the judge of the records, and the sink that writes what it has found.
type nearSearch struct {
	*search
	count int
	out   *bufio.Writer

	matches []memory.Match // of the records of a batch, one after the other
	ends    []int          // where those of each record end
	taken   int            // records of the batch that have been answered

	records, unreadable int
	why                 string // of the first that could not be read
}

// begin begins a batch.
func (n *nearSearch) begin(stream.Batch) { n.matches, n.ends, n.taken = n.matches[:0], n.ends[:0], 0 }

// judge looks up what a record resembles. Nothing is a duplicate.
func (n *nearSearch) judge(b stream.Batch, i int) (v stream.Verdict, err error) {
	if words := b.Sketch(i); len(words) > 0 {
		n.matches, err = n.Named.Near(n.matches, words, n.count)
	}
	n.ends = append(n.ends, len(n.matches))
	return v, err
}

// Observe writes the answer for a record.
func (n *nearSearch) Observe(d *stream.Decided) error {
	start := 0
	if n.taken > 0 {
		start = n.ends[n.taken-1]
	}
	a := answer{Query: json.RawMessage(memory.AppendName(nil, d)), Near: n.named(n.matches[start:n.ends[n.taken]])}
	n.taken++
	n.records++
	if d.Fate == stream.Tolerated {
		a.Near, a.Problem = nil, d.Problem.Name()
		if n.unreadable++; n.unreadable == 1 {
			n.why = a.Problem
		}
	}
	return writeAnswer(n.out, a)
}

// Flush writes the answers, since a program at the other end of a pipe may wait for them.
func (n *nearSearch) Flush() error { return n.out.Flush() }
