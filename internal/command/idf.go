package command

import (
	"context"
	"errors"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/stream"
)

// countedForEach is how many shingles are counted for each one in the table, since only the end
// shows how frequent a shingle is.
const countedForEach = 8

// runIDF makes a table of the weights of shingles.
func runIDF(ctx context.Context, c *config.IDF, std files.Streams) error {
	started := time.Now()
	paths, err := std.Paths(c.Filter.Input.Paths)
	if err != nil {
		return err
	}
	file, err := files.CreateResult(paths, c.Output, std)
	if err != nil {
		return err
	}
	counted := simhash.NewFrequencies(countedForEach * c.Shingles)
	by, stats := run.Sketching{}, stream.Stats{}
	if by.New, err = shinglerOf(&c.Filter); err == nil {
		// records without a shingle count too
		count := run.Each(counted.Add)
		stats, err = run.Read(ctx, &c.Filter, by, std, func(*run.Source) (run.Reading, error) {
			return run.Reading{Method: stream.Method{Judge: count}}, nil
		})
	}
	var weights *simhash.Weights
	if err == nil && counted.Texts() == 0 {
		err = errors.New("there are no records to count: nothing was written")
	}
	if err == nil {
		weights, err = counted.Weights(c.Shingles)
	}
	if err == nil {
		err = weights.Write(file, sketchers.ShinglesOf(c.Filter.Method))
	}
	if err = errors.Join(err, file.Finish(err == nil, false)); err != nil {
		return files.NameUnfinished(err, file)
	}
	if !c.Filter.Output.Quiet {
		shown.Notice(std.Err, "%s in %s: weights of %s%s",
			units.Of(counted.Texts(), "record"), time.Since(started).Round(10*time.Millisecond),
			units.Of(uint64(weights.Len()), "shingle"), run.Unread(stats))
	}
	return nil
}

// shinglerOf returns a function that makes a sketcher for each worker. The sketcher returns each
// shingle of a text once.
func shinglerOf(c *config.Filter) (func() stream.Sketcher, error) {
	shingler, err := sketchers.ShinglesFrom(c.Method)
	if err != nil {
		return nil, err
	}
	of := func() stream.Sketcher { return simhash.NewShingler(shingler.Clone()) }
	return sketchers.FromMarkup(c.Rule.Text.Markup, of)
}
