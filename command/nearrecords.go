package command

import (
	"bufio"
	"context"
	"encoding/json"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/formats"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/stream"
)

// nearRecords answers each JSON record of standard input. Records are read, and their texts
// sketched, as in any run; the index is the judge, which decides nothing, and what it has found is
// written by a sink.
func nearRecords(ctx context.Context, c *config.Near, std files.Streams, s *search) error {
	format, err := formats.Cut(formats.Settings{Name: c.Format, Fields: c.Fields}, stream.DefaultMaxRecord)
	if err != nil {
		return usage.Error(err)
	}
	answers := &nearAnswers{search: s, count: c.Count, out: bufio.NewWriter(std.Out)}
	run, err := stream.New(stream.Options{
		Source: stream.Source{
			Inputs: files.Inputs([]string{"-"}, std), Format: format, ID: c.ID, MaxRecord: stream.DefaultMaxRecord,
		},
		Method:  stream.Method{NewSketcher: s.newSketcher, Judge: s.keys.Failures.Before(answers)},
		Outputs: stream.Outputs{Sinks: []stream.Sink{answers}},
		Threads: std.Threads(0),
	})
	if err != nil {
		return usage.Error(err)
	}
	_, err = run.Do(ctx)
	return err
}

// nearAnswers is the judge of the records, and the sink that writes what it has found.
type nearAnswers struct {
	*search
	count int
	out   *bufio.Writer

	matches []memory.Match // of the records of a batch, one after the other
	ends    []int          // where those of each record end
	taken   int            // records of the batch that were answered
}

// Judge looks for each record of a batch.
func (n *nearAnswers) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	n.matches, n.ends, n.taken = n.matches[:0], n.ends[:0], 0
	for i := range out {
		out[i] = stream.Verdict{}
		if words := b.Sketch(i); len(words) > 0 {
			if n.matches, err = n.Named.Near(n.matches, words, n.count); err != nil {
				return i, err
			}
		}
		n.ends = append(n.ends, len(n.matches))
	}
	return len(out), nil
}

// Take writes the answer for a record.
func (n *nearAnswers) Take(d *stream.Decided) error {
	start := 0
	if n.taken > 0 {
		start = n.ends[n.taken-1]
	}
	a := answer{Query: json.RawMessage(memory.AppendName(nil, d)), Near: n.named(n.matches[start:n.ends[n.taken]])}
	n.taken++
	if d.Fate == stream.Tolerated {
		a.Near, a.Problem = nil, d.Problem.Name()
	}
	return writeAnswer(n.out, a)
}

// Flush hands the answers over: who asks by a pipe waits for them.
func (n *nearAnswers) Flush() error { return n.out.Flush() }
