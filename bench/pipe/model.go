package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// stageCosts are microseconds a record.
type stageCosts struct{ reader, workers, committer, index, all float64 }

// repeats is how often what the model is fed with is measured.
const repeats = 7

// costs are measured by profiles of the pipeline on one core: the median of each, and the profile
// that others on the machine have disturbed least. What belongs to no stage, such as the hand-over
// of batches, is work that any core can do.
func (c coresCommand) costs(w workplace, path string) (median, least stageCosts, err error) {
	var all []stageCosts
	var raw strings.Builder
	for range repeats {
		s, err := w.profileStages(path)
		if err != nil {
			return stageCosts{}, stageCosts{}, err
		}
		all = append(all, s)
		fmt.Fprintln(&raw, s)
	}
	median = stageCosts{
		reader:    middle(all, func(s stageCosts) float64 { return s.reader }),
		workers:   middle(all, func(s stageCosts) float64 { return s.workers }),
		committer: middle(all, func(s stageCosts) float64 { return s.committer }),
		index:     middle(all, func(s stageCosts) float64 { return s.index }),
		all:       middle(all, func(s stageCosts) float64 { return s.all }),
	}
	least = slices.MinFunc(all, func(a, b stageCosts) int { return cmp.Compare(a.all, b.all) })
	return median, least, c.keep("model.txt", raw.String())
}

func (w workplace) profileStages(path string) (stageCosts, error) {
	profile := filepath.Join(string(w), "cpu.prof")
	records, err := sampleRuns(path, profile)
	if err != nil {
		return stageCosts{}, err
	}
	times, err := cumulativeTimes(profile)
	if err != nil {
		return stageCosts{}, err
	}
	of := func(function string) float64 { return times[function] * 1000 / float64(records) }
	return stageCosts{
		reader: of("stream.(*reader).run"), workers: of("stream.(*worker).process"),
		committer: of("stream.(*committer).run"),
		index:     of("bloomlsh.(*Index).Observe"), all: of(total),
	}, nil
}

func (s stageCosts) String() string {
	return fmt.Sprintf("reader %.2f, workers %.2f, committer %.2f (of which the index %.2f), all of it %.2f", s.reader,
		s.workers, s.committer, s.index, s.all)
}

// rate is what a number of cores gives, in records a second: the reader and the committer are one
// goroutine each, and cannot have more than a core; everything shares the cores evenly. index is
// what the committer waits for the index, in microseconds a record.
func (s stageCosts) rate(cores int, index float64) float64 {
	return 1e6 / max(s.reader, s.committer-s.index+index, s.all/float64(cores))
}

// indexWait is how long the committer waits for an index whose bands the given number of goroutines
// share, in microseconds a record, if each of them has a core: the processor time of all of them,
// divided by their number. It gives the median and the least.
func indexWait(workers int) (median, least float64, err error) {
	const indexSize, batch, batches = 89e6, 120, 500 // the default size; a block holds 120 records of 2 KB
	x, bands, err := touchedIndex(indexSize)
	if err != nil {
		return 0, 0, err
	}
	defer x.Close()
	x.Parallelize(workers)
	rng := rand.NewPCG(2, uint64(workers))
	keys, votes := make([]bloomlsh.Key, batch*bands), make([]uint16, batch)
	var waits []float64
	for range repeats {
		spent := time.Duration(0)
		for range batches {
			recipe.Random(keys, rng)
			started := turns.Own()
			if _, err := x.Observe(keys, votes); err != nil {
				return 0, 0, err
			}
			spent += turns.Own() - started
		}
		waits = append(waits, spent.Seconds()*1e6/batch/batches/float64(workers))
	}
	return middle(waits, func(w float64) float64 { return w }), slices.Min(waits), nil
}

// model says where which stage becomes the narrowest.
func (c coresCommand) model(out io.Writer, w workplace, path string, one, two float64) error {
	s, least, err := c.costs(w, path)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Costs of the stages, µs a record, medians of %d profiles: %v. Those of the least "+
		"disturbed profile: %v.\n\n", repeats, s, least)
	four, _, err := indexWait(4)
	if err != nil {
		return err
	}
	eight, leastEight, err := indexWait(8)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "With 4 goroutines on the index (from 16 threads on) the committer waits %.2f µs for it, with "+
		"8 (from 32 on) %.2f: medians of %d times.\n\n",
		four, eight, repeats)
	t := markdown.New("cores", "measured, records/s", "model, one goroutine for the index", "4 for the index",
		"8 for the index", "8, least disturbed")
	for _, cores := range []int{1, 2, 4, 8, 16, 32, 64} {
		measured := any("–")
		switch cores {
		case 1:
			measured = math.Round(one)
		case 2:
			measured = math.Round(two)
		}
		t.Add(cores, measured, math.Round(s.rate(cores, s.index)), math.Round(s.rate(cores, four)),
			math.Round(s.rate(cores, eight)),
			math.Round(least.rate(cores, leastEight)))
	}
	t.Write(out)
	fmt.Fprintf(out, "This machine has %d cores: what is said of more is computed, and knows nothing of memory "+
		"that many cores share.\n\n", runtime.NumCPU())
	return c.paced(out, path, s, four, eight)
}
