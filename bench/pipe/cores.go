package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/markdown"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

type coresCommand struct{ common }

// Run measures one core against two, and says what many cores would give.
func (c coresCommand) Run(out io.Writer, w workplace) error {
	path, err := w.english(c.Count)
	if err != nil {
		return err
	}
	d, err := w.load(path)
	if err != nil {
		return err
	}
	one, two, err := c.oneAndTwo(out, d)
	if err != nil {
		return err
	}
	return c.model(out, w, path, one, two)
}

// oneAndTwo measures the program with a file at each end, on one core and on two, and returns records a second.
func (c coresCommand) oneAndTwo(out io.Writer, d data) (one, two float64, err error) {
	program, err := c.program()
	if err != nil {
		return 0, 0, err
	}
	commands := []command{
		{name: "one core", shell: `GOMAXPROCS=1 ` + program + ` -q --threads 1 < "$RECORDS" > /dev/null`},
		{name: "two cores", shell: `GOMAXPROCS=2 ` + program + ` -q --threads 2 < "$RECORDS" > /dev/null`},
	}
	samples, err := measure(commands, d.env(), c.Rounds)
	if err != nil {
		return 0, 0, err
	}
	fmt.Fprintf(out, "%s, nothing else on the machine; medians of %d runs in turns, load average %s:\n\n", d, c.Rounds, loadAverage())
	t := markdown.New("mithril-stream on", "wall, s", "records/s", "speed over the first")
	var rates [2]float64
	for i, command := range commands {
		wall, _ := median(samples[i]).seconds()
		rates[i] = float64(d.records) / wall
		t.Add(command.name, wall, rates[i], compare(samples[0], samples[i], func(s sample) time.Duration { return s.wall }))
	}
	t.Write(out)
	return rates[0], rates[1], c.keepSamples("cores", commands, samples)
}

// stageCosts are microseconds a record.
type stageCosts struct{ reader, workers, committer, index, all float64 }

// costs are measured by a profile of the pipeline on one core. What belongs to no stage, such as the hand-over of batches, is work that
// any core can do.
func (w workplace) costs(path string) (stageCosts, error) {
	profile := filepath.Join(string(w), "cpu.prof")
	records, err := sampleRuns(path, profile)
	if err != nil {
		return stageCosts{}, err
	}
	list, err := exec.Command("go", "tool", "pprof", "-top", "-cum", "-unit=ms", "-nodefraction=0", "-nodecount=100000", profile).Output()
	if err != nil {
		return stageCosts{}, fmt.Errorf("go tool pprof: %w", err)
	}
	times := cumulative(list)
	of := func(function string) float64 { return times[function] * 1000 / float64(records) }
	return stageCosts{
		reader: of("stream.(*reader).run"), workers: of("stream.(*worker).process"), committer: of("stream.(*committer).run"),
		index: of("bloomlsh.(*Index).Observe") + of("bloomlsh.(*Index).ObserveBatch"), all: of(total),
	}, nil
}

// rate is what so many cores give, in records a second: the reader and the committer are one goroutine each, and cannot have more than a core;
// everything shares the cores evenly. index is what the committer waits for the index, in microseconds a record.
func (s stageCosts) rate(cores int, index float64) float64 {
	return 1e6 / max(s.reader, s.committer-s.index+index, s.all/float64(cores))
}

// indexWait is how long the committer waits for an index whose bands so many goroutines share, in microseconds a record, if each of them
// has a core: the processor time of all of them, divided by their number.
func indexWait(workers int) (float64, error) {
	const indexSize, batch, batches = 89e6, 120, 2000 // the default size; a block holds 120 records of 2 KB
	x, bands, err := touchedIndex(indexSize)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	x.Parallelize(workers)
	rng := rand.New(rand.NewPCG(2, uint64(workers)))
	keys, duplicates := make([]bloomlsh.Key, batch*bands), make([]bool, batch)
	spent := time.Duration(0)
	for range batches {
		for i := range keys {
			keys[i] = bloomlsh.Key{Hi: rng.Uint64(), Lo: rng.Uint64()}
		}
		started := cpuTime()
		if _, err := x.ObserveBatch(keys, duplicates); err != nil {
			return 0, err
		}
		spent += cpuTime() - started
	}
	return spent.Seconds() * 1e6 / batch / batches / float64(workers), nil
}

// model says where which stage becomes the narrowest.
func (c coresCommand) model(out io.Writer, w workplace, path string, one, two float64) error {
	s, err := w.costs(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Costs of the stages, µs a record: reader %.2f, workers %.2f, committer %.2f (of which the index %.2f), all of it %.2f.\n\n",
		s.reader, s.workers, s.committer, s.index, s.all)
	four, err := indexWait(4)
	if err != nil {
		return err
	}
	eight, err := indexWait(8)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "With 4 goroutines on the index (from 16 threads on) the committer waits %.2f µs for it, with 8 (from 32 on) %.2f.\n\n", four, eight)
	t := markdown.New("cores", "measured, records/s", "model, one goroutine for the index", "4 for the index", "8 for the index")
	for _, cores := range []int{1, 2, 4, 8, 16, 32, 64} {
		measured := any("–")
		switch cores {
		case 1:
			measured = math.Round(one)
		case 2:
			measured = math.Round(two)
		}
		t.Add(cores, measured, math.Round(s.rate(cores, s.index)), math.Round(s.rate(cores, four)), math.Round(s.rate(cores, eight)))
	}
	t.Write(out)
	fmt.Fprintf(out, "This machine has %d cores: what stands behind two is computed, and knows nothing of memory that many cores share.\n\n", runtime.NumCPU())
	return nil
}
