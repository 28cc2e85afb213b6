package groups

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/stream"
)

// find reads all records and joins those that resemble each other.
func (g *grouping) find(ctx context.Context, std files.Streams) (stats stream.Stats, err error) {
	c := g.c.Filter.Unwritten()
	from, err := run.OpenSource(ctx, &c, g, std)
	if err != nil {
		return stats, err
	}
	g.first.keys, g.first.fields = from.Keys, from.Fields // whose model is closed with the groups
	defer func() { err = errors.Join(err, from.Source.Close()) }()
	pass, err := g.joining(&c, from)
	if err != nil {
		return stats, err
	}
	pass.Groups, pass.Sinks = g.groups, g.sinks()
	pass.Ended = func(ctx context.Context) error {
		if g.days != nil {
			if err := g.days.load(&g.records.names, std, c.Output.Quiet); err != nil {
				return err
			}
		}
		return g.groups.Find(ctx)
	}
	stats, err = from.Do(ctx, pass)
	if g.records.failed != nil {
		return stats, g.records.failed
	}
	return stats, err
}

// sinks are told of the records when they are read first.
func (g *grouping) sinks() []stream.Sink {
	sinks := []stream.Sink{&g.records.names}
	if len(g.c.CountBy) > 0 {
		sinks = append(sinks, stream.SinkFunc(g.members.Observe))
	}
	if g.days != nil {
		sinks = append(sinks, stream.SinkFunc(g.days.Observe))
	}
	if fields := len(g.c.Keep.Fields()); fields > 0 {
		g.records.ranks.from, g.records.ranks.fields = len(g.c.CountBy), fields
		sinks = append(sinks, stream.SinkFunc(g.records.ranks.Observe))
	}
	return sinks
}

// copy writes what is kept of all records.
func (g *grouping) copy(ctx context.Context, std files.Streams) error {
	c := g.c.Filter.WithFields(g.first.fields).WithoutProgress()
	return run.Copy(ctx, &c, g, std)
}

// checkEnd refuses an input that has fewer records than when its groups were found.
func (g *grouping) checkEnd() error {
	if g.next != len(g.chosen.removed) {
		return g.changed()
	}
	return nil
}

// Method follows the groups that were found.
func (g *grouping) Method(_ context.Context, c *config.Filter, _ *run.Source) (*run.Method, error) {
	m := &run.Method{
		Stream: stream.Method{Judge: stream.Judge{Decide: g.removeRecords}, DecidesAll: true},
		Keys:   g.first.keys,
		Needs:  run.Needs{Whole: true}, // what cannot be read cannot be copied either
		Calls:  run.Calls{End: func(*run.Outputs) error { return g.checkEnd() }, Counted: g.counted},
	}
	if c.Output.Annotate {
		m.Members = g.members.added()
	}
	if g.c.Resample.IsSet() {
		m.Repeat = g.members.times
	}
	if c.Report.Report != "" {
		m.Needs.SinkData.ID = c.Input.ID
	}
	if c.Input.Sketches { // there is nothing to copy
		m.Inputs = []stream.Input{{OpenRecords: func() (stream.RecordReader, error) {
			return &blanks{left: len(g.chosen.removed)}, nil
		}}}
	}
	return m, nil
}

func (g *grouping) changed() error {
	return fmt.Errorf("the inputs have changed since they were grouped: there were %d records", len(g.chosen.removed))
}

// joinRecords is the judge that puts records into groups. Nothing is a duplicate yet.
func (g *grouping) joinRecords(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		out[i] = stream.Verdict{}
		words, size := b.Sketch(i), uint32(0)
		if last := len(words) - 1; last >= 0 {
			words, size = words[:last], uint32(min(words[last], math.MaxUint32))
		}
		if g.records.failed = g.addSketch(words, size); g.records.failed != nil {
			return i, g.records.failed
		}
		g.records.sizes = append(g.records.sizes, size)
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
