package groups

import (
	"context"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/stream"
)

// find reads all records and joins those that resemble each other.
func (g *grouping) find(ctx context.Context, std files.Streams) (stream.Stats, error) {
	c := g.c.Filter.Unwritten()
	f := run.New(&c, g, std)
	err := f.Prepare(ctx)
	g.first.keys, g.first.fields = f.Keys, f.Source.Fields
	if err != nil {
		return stream.Stats{}, err
	}
	f.Opts.Lost = nil // what cannot be read cannot be copied either
	f.Opts.Sinks = append(f.Opts.Sinks, &g.records.names)
	if len(g.c.CountBy) > 0 {
		f.Opts.Sinks = append(f.Opts.Sinks, stream.SinkFunc(g.members.Take))
	}
	if g.days != nil {
		f.Opts.Sinks = append(f.Opts.Sinks, stream.SinkFunc(g.days.Take))
	}
	if g.c.Keep.Field != "" {
		f.Opts.Sinks = append(f.Opts.Sinks, stream.SinkFunc(g.records.ranks.Take))
	}
	pass, err := stream.New(f.Opts)
	if err != nil {
		return stream.Stats{}, err
	}
	shown := run.StartProgress(pass, &method.Judging{}, std.Err, g.c.Filter.Output.Quiet, f.Typed)
	defer shown.Stop()
	shown.Groups = g.groups
	stats, err := pass.Do(ctx)
	if g.records.failed != nil {
		return stats, g.records.failed
	}
	if err == nil && g.days != nil {
		err = g.days.load(&g.records.names, std, g.c.Filter.Output.Quiet)
	}
	if err == nil {
		err = g.groups.Find(ctx)
	}
	return stats, f.ExplainUnreadable(err)
}

// copy writes what is kept of all records.
func (g *grouping) copy(ctx context.Context, std files.Streams) error {
	c := g.c.Filter.WithFields(g.first.fields).Quietly()
	f := run.New(&c, g, std)
	f.Keys = g.first.keys
	if err := f.Prepare(ctx); err != nil {
		return err
	}
	f.Opts.Lost = nil
	if c.Input.Sketches { // there is nothing to copy
		f.Opts.Inputs = []stream.Input{{OpenRecords: func() (stream.RecordReader, error) {
			return &blanks{left: len(g.chosen.removed)}, nil
		}}}
	}
	f.Ending = func() error {
		if g.next != len(g.chosen.removed) {
			return g.changed()
		}
		return nil
	}
	return f.Do(ctx)
}

func (g *grouping) changed() error {
	return fmt.Errorf("the inputs have changed since they were grouped: there were %d records", len(g.chosen.removed))
}

// joinRecords is the judge that puts records into groups. Nothing is a duplicate yet.
func (g *grouping) joinRecords(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		out[i] = stream.Verdict{}
		words, length := b.Sketch(i), uint32(0)
		if last := len(words) - 1; last >= 0 {
			words, length = words[:last], uint32(min(words[last], math.MaxUint32))
		}
		if g.records.failed = g.addSketch(words, length); g.records.failed != nil {
			return i, g.records.failed
		}
		g.records.lengths = append(g.records.lengths, length)
	}
	return len(out), nil
}

// addSketch takes in a record, of no word if it has no sketch. With an index the records of earlier
// days come before it: then it is written down until these are known.
func (g *grouping) addSketch(sketch []uint64, length uint32) error {
	switch {
	case g.days != nil:
		return g.days.add(sketch, length)
	case len(sketch) == 0:
		g.groups.Pass()
		return nil
	}
	return g.groups.Add(sketch)
}

// removeRecords is the judge that removes all records of a group but one.
func (g *grouping) removeRecords(_ stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		if g.next == len(g.chosen.removed) {
			return i, g.changed()
		}
		out[i] = stream.Verdict{Duplicate: g.chosen.removed[g.next]}
		if g.chosen.kept != nil && g.chosen.kept[g.next] > 0 {
			out[i].Original = g.chosen.kept[g.next]
			out[i].Similarity = g.groups.Similarity(g.chosen.kept[g.next], uint64(g.next)+1)
		}
		g.next++
	}
	return len(out), nil
}
