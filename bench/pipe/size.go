package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

type sizeCommand struct {
	common
	Bytes []float64 `default:"64e6,1e9,8e9" help:"Sizes of the index."`
}

var defaultSizes = []float64{64e6, 1e9, 8e9}

// Run measures the pipeline in this process, on one core, with indexes of several sizes that take
// turns. All of their memory has been touched: what a page costs the first time is paid once in the
// life of an index.
func (c sizeCommand) Run(out io.Writer, w workplace) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	path, err := w.english(c.Count)
	if err != nil {
		return err
	}
	indexes := make([]*bloomlsh.Index, len(c.Bytes))
	for i, size := range c.Bytes {
		if indexes[i], _, err = touchedIndex(size); err != nil {
			return err
		}
		defer indexes[i].Close()
	}
	samples := make([][]sample, len(c.Bytes))
	records := uint64(0)
	for round := range c.Rounds + 1 {
		for k := range indexes {
			i := (k + round) % len(indexes)
			s, n, err := timeFilter(path, indexes[i], 1)
			if err != nil {
				return err
			}
			if records = n; round > 0 {
				samples[i] = append(samples[i], s)
			}
		}
	}
	fmt.Fprintf(out, "The whole pipeline on one core, %d generated records of 2 KB; medians of %d runs in turns, "+
		"load average %s:\n\n", records, c.Rounds, loadAverage())
	t := markdown.New("index", "CPU, ns a record", "over the first")
	for i, x := range indexes {
		t.Add(fmt.Sprintf("%.2f GB", float64(x.Usage().Bytes)/1e9),
			float64(middle(samples[i], cpuOf).Nanoseconds())/float64(records), compare(samples[i], samples[0], cpuOf))
	}
	t.Write(out)
	return nil
}

// touchedIndex returns an index of about the given size in bytes, every page of which holds some
// keys.
func touchedIndex(size float64) (x *bloomlsh.Index, bands int, err error) {
	r, err := recipe.New(nil)
	if err != nil {
		return nil, 0, err
	}
	params, err := recipe.OfSize(r.Index, r.Sketcher.Params().Rows, size)
	if err != nil {
		return nil, 0, err
	}
	x, err = bloomlsh.New(params)
	if err != nil {
		return nil, 0, err
	}
	// three keys to a page, or more; and more records than the index keeps beside its filters
	records := max(int(params.Capacity/200), 1<<16)
	return x, params.Bands, recipe.Fill(x, params.Bands, records, rand.NewPCG(1, uint64(size)))
}

// timeFilter runs the pipeline over a file, and returns how long that took and its count of
// records.
func timeFilter(path string, index *bloomlsh.Index, threads int) (sample, uint64, error) {
	in, err := os.Open(path)
	if err != nil {
		return sample{}, 0, err
	}
	defer in.Close()
	started, cpu := time.Now(), turns.Own()
	stats, err := filter(index, in, threads)
	return sample{time.Since(started), turns.Own() - cpu}, stats.Records, err
}
