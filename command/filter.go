package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/markup"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/chinese"
	"github.com/mithril-stream/mithril-stream/stream"
)

func runFilter(ctx context.Context, c *config.Filter, std Streams) (err error) {
	sketcher, err := newSketcher(c)
	if err != nil {
		return config.Usage(err)
	}
	paths, err := pathsOf(c.Inputs)
	if err != nil {
		return err
	}
	if err := refuseToMix(paths, c.Output, std); err != nil {
		return err
	}
	newTextFilter, err := textFilter(c.Text.Markup)
	if err != nil {
		return config.Usage(err)
	}
	format, formatName, err := formatOf(c, paths)
	if err != nil {
		return config.Usage(err)
	}
	var out outputs
	streams, err := out.streams(c.Output)
	if err != nil {
		return config.Usage(err)
	}
	memory, err := openSeen(c, sketcher.Params())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, memory.close()) }()
	last, err := toResume(c, memory.store, namesOf(streams), formatName)
	if err != nil {
		return err
	}
	if err := out.open(c, streams, std, last); err != nil {
		return err
	}
	commit := commit{memory.store, &out, namesOf(streams), formatName}
	gauge := newGauge(memory)
	opts := stream.Options{
		Inputs: inputsOf(paths, std.In), Format: format, Convert: c.Records.ToJSONL, MaxRecord: c.MaxRecord,
		Sketcher: sketcher, Bands: sketcher.Params().Bands, Index: gauge, NewTextFilter: newTextFilter,
		Output: out.kept.writer(), Duplicates: out.duplicates.writer(), Rejects: out.rejects.writer(), Flags: out.flags.writer(),
		Annotate: c.Output.Annotate, OnError: c.OnError, Empty: c.Empty, Threads: c.Threads,
	}
	if last != nil {
		opts.From = last.Stats
	}
	if when := c.Index.Checkpoint; when.IsSet() {
		opts.Checkpoints = &stream.Checkpoints{Records: when.Records, Every: when.Every, Commit: commit.onTheWay}
	}

	widen(std.In)
	var report *report
	if len(c.Inputs) > 0 && c.OnError != stream.ErrorFail {
		opts.Lost = func(p stream.Place) { report.lost(p) }
	}
	run := stream.New(opts)
	report = startReport(run, gauge, std.Err, c.Output.Quiet)
	stats, err := run.Do(ctx)
	report.stop()

	err = errors.Join(err, out.finish(err == nil))
	if err == nil && memory.store != nil {
		err = commit.atTheEnd(stats)
	}
	if err == nil && stats.Lost > 0 {
		err = errLost{stats.Lost, len(paths), *stats.FirstLost}
	}
	if err == nil && c.OnError == stream.ErrorFail && stats.Rejects.Total() > 0 {
		err = errRejects{stats.Rejects.Total()}
	}
	if errors.As(err, new(errSignal)) && opts.Checkpoints != nil {
		err = fmt.Errorf("%w: run the same command with --resume to go on", err)
	}
	if err != nil && stats.Records == opts.From.Records {
		return err // nothing was done: there is nothing to sum up
	}
	return errors.Join(err, report.finish(stats, out.stats))
}

// textFilter returns what makes a filter for each worker, or nil if there is none.
func textFilter(name string) (func() stream.TextFilter, error) {
	if _, err := markup.New(name); err != nil || name == "none" {
		return nil, err
	}
	return func() stream.TextFilter {
		filter, _ := markup.New(name) // the name is right
		return filter
	}, nil
}

// newSketcher tunes bands and rows where the user did not fix them.
func newSketcher(c *config.Filter) (*sketch.Sketcher, error) {
	s := c.Similar
	bands, rows, err := tune(s.TuneFlags)
	if err != nil {
		return nil, err
	}
	params := sketch.Params{
		Normalize: c.Text.Normalize, Tokenize: c.Text.Tokenize, ShingleSize: c.Text.ShingleSize,
		Sketch: s.Sketch, NumPerm: s.NumPerm, Seed: s.Seed, Bands: bands, Rows: rows, BandKey: s.BandKey,
	}
	if params.Tokenize != chineseWords {
		return sketch.New(params)
	}
	dictionary, err := chinese.Load()
	if err != nil {
		return nil, err
	}
	return sketch.NewWith(params, dictionary.Tokenizer)
}

// chineseWords is the tokeniser whose dictionary is loaded only when it is asked for.
const chineseWords = "chinese"

func tune(t config.TuneFlags) (bands, rows int, err error) {
	switch {
	case t.Bands > 0:
		return t.Bands, t.Rows, nil
	case t.Tune == "balanced":
		return bloomlsh.TuneBalanced(t.Threshold, t.NumPerm)
	}
	return bloomlsh.TuneRecall(t.Threshold, t.Recall, t.NumPerm)
}
