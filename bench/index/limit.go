//go:build linux

package main

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// A limited run has an index that is larger than the memory that it may take.
type limited struct {
	binary   string
	limit    string // memory of the limited run
	capacity int    // records that the index is planned for
	records  int    // records that are in it
	rounds   int    // how often each way is run
}

// measure judges the records of a file by an index in dir that is in memory, and by the same one
// within the limit. The index is filled with random band keys, so that its generations are as full
// as those of a crawl of as many records.
func (l limited) measure(dir, file string) error {
	index, capacity, limit := filepath.Join(dir, "index"), fmt.Sprint(l.capacity), l.limit
	if err := l.fill(index); err != nil {
		return err
	}
	if err := dropCaches(); err != nil {
		log.Printf("what is in the page cache is read from there: %v", err)
	}
	// --read-only leaves the index as it is, so that each round finds the same.
	ways := []way{
		{"in memory", []string{"--read-only", "--index", index}, 0},
		{"limited to " + limit, []string{"--read-only", "--index", index, "--max-memory", limit}, 0},
		{"in memory, empty, of one generation", []string{"--capacity", capacity}, 0},
	}
	for range l.rounds {
		for i := range ways {
			rate, err := ways[i].run(l.binary, file)
			if err != nil {
				return err
			}
			ways[i].rate = max(ways[i].rate, rate)
		}
	}
	for _, w := range ways {
		fmt.Printf("%-36s %6.0f records/s, %.2f of it in memory\n", w.name, w.rate, w.rate/ways[0].rate)
	}
	return nil
}

// A way is one of running the program. rate is the best of its rounds, in records a second.
type way struct {
	name string
	args []string
	rate float64
}

// run returns the rate of the records alone: to open an index takes as long as to read it.
func (w way) run(binary, file string) (rate float64, err error) {
	stats, err := program.Run(binary, append(w.args, "-o", os.DevNull, file), nil)
	return float64(stats.Records) / stats.Seconds, err
}

// dropCaches takes what is written out of the page cache, which root may do on Linux.
func dropCaches() error {
	if err := exec.Command("sync").Run(); err != nil {
		return err
	}
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0)
}

// fill makes an index with the parameters of the program, and random keys.
func (l limited) fill(index string) error {
	cmd := exec.Command(l.binary, "-q", "--index", index, "--capacity", fmt.Sprint(l.capacity), "--max-memory", l.limit)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	p, identity, err := bloomlsh.ReadParameters(index)
	if err != nil {
		return err
	}
	s, err := bloomlsh.Open(index, p, identity)
	if err != nil {
		return err
	}
	s.Parallelize(2)
	if err := recipe.Fill(s, p.Bands, l.records, rand.NewPCG(1, 2)); err != nil {
		return errors.Join(err, s.Close())
	}
	// at the position where the program has left it
	return errors.Join(s.Commit(s.Committed()), s.Close())
}
