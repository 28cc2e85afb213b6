package main

import (
	"context"
	"io"
	"runtime"

	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// filter runs the program's pipeline with default options inside of this process, where it can be
// looked into.
func filter(in io.Reader, out io.Writer, threads int) (stream.Stats, error) {
	r, err := recipe.New(nil)
	if err != nil {
		return stream.Stats{}, err
	}
	index, err := bloomlsh.New(r.Index)
	if err != nil {
		return stream.Stats{}, err
	}
	defer index.Close()
	return filterInto(index, in, out, threads)
}

// filterInto is filter with an index that may hold something already.
func filterInto(index *bloomlsh.Index, in io.Reader, out io.Writer, threads int) (stream.Stats, error) {
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
			MaxRecord: r.Filter.MaxRecord,
		},
		Method: stream.Method{
			NewSketcher: func() stream.Sketcher { return r.Sketcher.Clone() },
			Judge:       stream.ByVotes(index, r.Rule.Votes),
		},
		Outputs: stream.Outputs{Output: out},
		OnError: r.Filter.OnError, Empty: r.Filter.Empty, Threads: threads,
	})
	if err != nil {
		return stream.Stats{}, err
	}
	return run.Do(context.Background())
}

// allocations returns how many objects the pipeline allocates while it reads in, and its count of
// records.
func allocations(in io.Reader) (objects, records uint64, err error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	stats, err := filter(in, io.Discard, 0)
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, stats.Records, err
}
