package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/chinese"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
	"github.com/mithril-stream/mithril-stream/stream"
)

func runFilter(ctx context.Context, c *config.Filter, std Streams) (err error) {
	f := &filterRun{c: c, std: std}
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.prepare(ctx); err != nil {
		return err
	}
	return f.run(ctx)
}

// A filterRun is one run of the filter. Whatever can be found wrong beforehand is found before anything is read.
type filterRun struct {
	c      *config.Filter
	std    Streams
	paths  []string
	keys   keyKind
	memory *seen // nil if the run judges nothing
	out    outputs
	opts   stream.Options
	commit commit
	ending func() error // when all records are through, before the files are finished; or nil
	table  *table       // what parquet files are read and written with, or nil
	gauge  *gauge
	report *report
}

func (f *filterRun) prepare(ctx context.Context) error {
	c := f.c
	f.opts = stream.Options{
		Convert: c.Records.ToJSONL, MaxRecord: c.MaxRecord, Annotate: c.Output.Annotate, OnError: c.OnError, Empty: c.Empty, Threads: c.Threads,
	}
	if !c.FromSketches && c.Verdicts == "" {
		if err := f.sketchTexts(); err != nil {
			return config.Usage(err)
		}
	}
	var err error
	if f.paths, err = pathsOf(c.Inputs); err != nil {
		return err
	}
	if err := refuseToMix(f.paths, c.Written(), f.std); err != nil {
		return err
	}
	read := f.readRecords
	if c.FromSketches {
		read = f.readSketches
	}
	formatName, err := read()
	if err != nil {
		return err
	}
	switch {
	case c.Verdicts != "":
		err = f.followVerdicts()
	case c.Sketch == "":
		f.memory, err = openSeen(c.Index, f.keys, bloomlsh.Open)
	}
	if err != nil {
		return err
	}
	return f.open(ctx, formatName)
}

// sketchTexts has band keys made of texts.
func (f *filterRun) sketchTexts() error {
	sketcher, err := newSketcher(f.c)
	if err != nil {
		return err
	}
	f.opts.Sketcher, f.opts.Bands = sketcher, sketcher.Params().Bands
	f.keys = keysOf(f.c.Text.Markup, sketcher.Params())
	f.opts.NewTextFilter, err = textFilter(f.c.Text.Markup)
	return err
}

// readRecords has the inputs read as records of one format.
func (f *filterRun) readRecords() (formatName string, err error) {
	f.opts.Format, formatName, err = formatOf(f.c, f.paths, f.std.In)
	if err != nil {
		return "", config.Usage(err)
	}
	f.opts.Inputs = inputsOf(f.paths, f.std.In)
	if formatName == "file" {
		for i, in := range f.opts.Inputs {
			f.opts.Inputs[i] = stream.FileRecord(in, f.c.Records.Separator, f.c.MaxRecord, f.c.Records.ToJSONL)
		}
	}
	if formatName == "parquet" {
		if err := f.useParquet(); err != nil {
			return "", config.Usage(err)
		}
	}
	if len(f.c.Inputs) > 0 && f.c.OnError != stream.ErrorFail {
		f.opts.Lost = func(p stream.Place) { f.report.lost(p) }
	}
	return formatName, nil
}

// open opens what the run writes, where an earlier run has left it if this one resumes it.
func (f *filterRun) open(ctx context.Context, formatName string) error {
	streams, err := f.out.streams(f.c)
	if err != nil {
		return config.Usage(err)
	}
	if formatName == warcFormat {
		if err := f.openArchives(ctx, streams); err != nil {
			return err
		}
	}
	last, err := toResume(f.c, f.memory.durable(), namesOf(streams), formatName)
	if err != nil {
		return err
	}
	if last != nil {
		f.opts.From = last.Stats
	}
	if err := f.out.open(f.c, streams, f.std, last); err != nil {
		return err
	}
	f.commit = commit{f.memory.durable(), &f.out, namesOf(streams), formatName}
	f.opts.Output, f.opts.Duplicates = f.out.kept.writer(), f.out.duplicates.writer()
	f.opts.Rejects, f.opts.Flags = f.out.rejects.writer(), f.out.flags.writer()
	f.table.take(&f.opts)
	if when := f.c.Index.Checkpoint; when.IsSet() {
		f.opts.Checkpoints = &stream.Checkpoints{Records: when.Records, Every: when.Every, Commit: f.commit.onTheWay}
	}
	if f.c.Sketch != "" {
		return f.writeSketches()
	}
	return nil
}

func (f *filterRun) run(ctx context.Context) error {
	if f.memory != nil {
		f.memory.parallelize(f.c.Threads)
		f.gauge = newGauge(f.memory)
		f.opts.Index = f.gauge
	}
	run := stream.New(f.opts)
	f.report = startReport(run, f.gauge, f.std.Err, f.c.Output.Quiet)
	stats, err := run.Do(ctx)
	f.report.stop()
	err = f.conclude(stats, err)
	f.report.sketched = f.c.Sketch != ""
	f.table.count(&stats, f.out.kept)
	if err != nil && stats.Records == f.opts.From.Records {
		return err // nothing was done: there is nothing to sum up
	}
	return errors.Join(err, f.report.finish(stats, f.out.stats))
}

// conclude puts the outputs in place, and then commits the index (I3).
func (f *filterRun) conclude(stats stream.Stats, err error) error {
	if err == nil && f.ending != nil {
		err = f.ending()
	}
	if err == nil {
		err = f.table.close()
	}
	err = errors.Join(err, f.out.finish(err == nil))
	if err == nil && f.memory.durable() != nil {
		err = f.commit.atTheEnd(stats)
	}
	switch {
	case errors.As(err, new(errSignal)) && f.opts.Checkpoints != nil:
		return fmt.Errorf("%w: run the same command with --resume to go on", err)
	case err != nil:
		return err
	case stats.Lost > 0:
		return errLost{stats.Lost, len(f.paths), *stats.FirstLost}
	case f.c.OnError == stream.ErrorFail && stats.Rejects.Total() > 0:
		return errRejects{stats.Rejects.Total()}
	}
	return nil
}

func (f *filterRun) close() error {
	if f.memory == nil {
		return nil
	}
	return f.memory.close()
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
