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
	g.first.keys, g.first.fields = from.Keys, from.Fields // their model is closed with the groups
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

// sinks returns the sinks of the first reading.
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

// copy writes all records that are kept.
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

// Method returns a method that removes records as the groups require.
func (g *grouping) Method(_ context.Context, c *config.Filter, _ *run.Source) (*run.Method, error) {
	m := &run.Method{
		Stream: stream.Method{Judge: stream.ByRecord(nil, g.removeRecord), DecidesAll: true},
		Keys:   g.first.keys,
		Needs:  run.Needs{Whole: true}, // what cannot be read cannot be copied either
		Calls:  run.Calls{End: func(*run.Outputs) error { return g.checkEnd() }, Counted: g.counted},
		Found:  &run.Found{Collect: collect, Parameters: g.parameters, Describe: g.describe, Name: g.name},
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

// joinRecord puts a record into a group. Nothing is a duplicate yet.
func (g *grouping) joinRecord(b stream.Batch, i int) (v stream.Verdict, err error) {
	words, size := b.Sketch(i), uint32(0)
	if last := len(words) - 1; last >= 0 {
		words, size = words[:last], uint32(min(words[last], math.MaxUint32))
	}
	if g.records.failed = g.addSketch(words, size); g.records.failed == nil {
		g.records.sizes = append(g.records.sizes, size)
	}
	return v, g.records.failed
}

// addSketch adds a record by its sketch, which has no words if the record has none. With an index,
// the records of earlier days come first, so this one is noted until they are known.
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

// removeRecord removes a record unless it is kept.
func (g *grouping) removeRecord(stream.Batch, int) (v stream.Verdict, err error) {
	if g.next == len(g.chosen.removed) {
		return v, g.changed()
	}
	v.Duplicate = g.chosen.removed[g.next]
	if g.chosen.kept != nil && g.chosen.kept[g.next] > 0 {
		v.Original = g.chosen.kept[g.next]
		v.Similarity = g.groups.Similarity(g.chosen.kept[g.next], uint64(g.next)+1)
	}
	g.next++
	return v, nil
}
