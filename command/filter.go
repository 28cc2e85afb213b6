package command

import (
	"context"
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

func runFilter(ctx context.Context, c *config.Filter, std Streams) error {
	sketcher, err := newSketcher(c)
	if err != nil {
		return config.Usage(err)
	}
	params := indexParams(c, sketcher.Params().Bands)
	if err := params.Validate(); err != nil {
		return config.Usage(err)
	}
	index, err := bloomlsh.New(params)
	if err != nil {
		return err
	}
	defer index.Close()
	out, err := openOutputs(c.Output, std)
	if err != nil {
		return err
	}
	opts, err := streamOptions(c, sketcher, out, std.In)
	if err != nil {
		return config.Usage(err)
	}
	gauge := newGauge(index)
	opts.Index = gauge
	run := stream.New(opts)

	report := startReport(run, gauge, std.Err, c.Output.Quiet)
	stats, err := run.Do(ctx)
	report.stop()

	err = errors.Join(err, out.finish(err == nil))
	if err == nil && c.OnError == stream.ErrorFail && stats.Rejects.Total() > 0 {
		err = errRejects{stats.Rejects.Total()}
	}
	return errors.Join(err, report.finish(stats, index.Stats(), out.stats))
}

// newSketcher tunes bands and rows where the user did not fix them.
func newSketcher(c *config.Filter) (*sketch.Sketcher, error) {
	s := c.Similar
	bands, rows := s.Bands, s.Rows
	if bands == 0 {
		var err error
		if s.Tune == "balanced" {
			bands, rows, err = bloomlsh.TuneBalanced(s.Threshold, s.NumPerm)
		} else {
			bands, rows, err = bloomlsh.TuneRecall(s.Threshold, s.Recall, s.NumPerm)
		}
		if err != nil {
			return nil, err
		}
	}
	return sketch.New(sketch.Params{
		Normalize: c.Text.Normalize, Tokenize: c.Text.Tokenize, ShingleSize: c.Text.ShingleSize,
		Sketch: s.Sketch, NumPerm: s.NumPerm, Seed: s.Seed, Bands: bands, Rows: rows, BandKey: s.BandKey,
	})
}

func indexParams(c *config.Filter, bands int) bloomlsh.Params {
	return bloomlsh.Params{
		Bands: bands, Capacity: uint64(c.Index.Capacity), FPRate: c.Index.FPRate,
		Filter: c.Index.Filter, Remember: c.Index.Remember, OnFull: c.Index.OnFull,
	}
}

func streamOptions(c *config.Filter, sketcher *sketch.Sketcher, out *outputs, in io.Reader) (stream.Options, error) {
	fields := make([]stream.Field, len(c.Fields))
	for i, path := range c.Fields {
		var err error
		if fields[i], err = stream.ParseField(path); err != nil {
			return stream.Options{}, err
		}
	}
	return stream.Options{
		Input: in, InputName: "stdin", Fields: fields, MaxRecord: c.MaxRecord,
		Sketcher: sketcher, Bands: sketcher.Params().Bands,
		Output: out.kept, Duplicates: out.duplicates.writer(), Rejects: out.rejects.writer(), Flags: out.flags.writer(),
		Annotate: c.Output.Annotate, OnError: c.OnError, Empty: c.Empty, Threads: c.Threads,
	}, nil
}
