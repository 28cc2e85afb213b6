package main

import (
	"context"
	"io"
	"runtime"

	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// filter runs the program's pipeline with default options and the given index in this process,
// where it can be measured, and discards the records that it keeps.
func filter(index *bloomlsh.Index, in io.Reader, threads int) (stream.Stats, error) {
	r, err := recipe.New(nil)
	if err != nil {
		return stream.Stats{}, err
	}
	field, err := stream.ParseField("text")
	if err != nil {
		return stream.Stats{}, err
	}
	records := stream.Input{Name: "records", Open: func() (io.ReadCloser, error) { return io.NopCloser(in), nil }}
	run, err := stream.New(stream.Options{
		Source: stream.Source{
			Inputs: []stream.Input{records}, Format: stream.JSONLines([]stream.Field{field}),
			MaxRecord: r.Filter.Input.MaxRecord,
		},
		Method: stream.Method{
			NewSketcher: func() stream.Sketcher { return r.Sketcher.Clone() },
			Judge: stream.ByVotes(stream.BandIndex{
				Observe: index.Observe, Remembers: index.Remembers, ObserveCopies: index.ObserveCopies,
			}, r.Rule.Votes),
		},
		Outputs: stream.Outputs{Output: io.Discard},
		OnError: r.Filter.Input.OnError, Empty: r.Filter.Input.Empty, Threads: threads,
	})
	if err != nil {
		return stream.Stats{}, err
	}
	return run.Do(context.Background())
}

// allocations returns how many objects the pipeline allocates while it reads in, and its count of
// records.
func allocations(in io.Reader) (objects, records uint64, err error) {
	r, err := recipe.New(nil)
	if err != nil {
		return 0, 0, err
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	index, err := bloomlsh.New(r.Index)
	if err != nil {
		return 0, 0, err
	}
	stats, err := filter(index, in, 0)
	index.Close()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, stats.Records, err
}
