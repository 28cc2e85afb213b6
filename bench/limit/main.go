// Command limit measures an index that is larger than the memory that it may take, beside the same
// index in memory.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./limit FILE.jsonl
//
// The index is filled with random band keys, so that all its generations are as full as those of a
// crawl of as many records. It is made in TMPDIR, on the disk that is to be measured.
package main

import (
	"cmp"
	"errors"
	"flag"
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

func main() {
	binary := program.Flag()
	rounds := flag.Int("rounds", 3, "how often each way is run")
	capacity := flag.Int("capacity", 200_000_000, "records that the index is planned for")
	records := flag.Int("records", 150_000_000, "records that are in the index")
	limit := flag.String("limit", "2GiB", "memory of the limited run")
	keep := flag.String("index", "", "make the index here, and keep it; or use the one that is here")
	usage := "limit [-program PROGRAM] [-rounds N] [-capacity N] [-records N] [-limit SIZE] FILE"
	program.Main(1, usage, func(dir string) error {
		index := cmp.Or(*keep, filepath.Join(dir, "index"))
		return measure(*binary, flag.Arg(0), index, *capacity, *records, *limit, *rounds)
	})
}

func measure(binary, file, index string, capacity, records int, limit string, rounds int) error {
	if _, err := os.Stat(index); errors.Is(err, os.ErrNotExist) {
		if err := fill(binary, index, capacity, records, limit); err != nil {
			return err
		}
	}
	if err := dropCaches(); err != nil {
		log.Printf("what is in the page cache is read from there: %v", err)
	}
	// --read-only leaves the index as it is, so that each round finds the same.
	ways := []way{
		{"in memory", []string{"--read-only", "--index", index}, 0},
		{"limited to " + limit, []string{"--read-only", "--index", index, "--max-memory", limit}, 0},
		{"in memory, empty, of one generation", []string{"--capacity", fmt.Sprint(capacity)}, 0},
	}
	for range rounds {
		for i := range ways {
			rate, err := ways[i].run(binary, file)
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
func fill(binary, index string, capacity, records int, limit string) error {
	cmd := exec.Command(binary, "-q", "--index", index, "--capacity", fmt.Sprint(capacity), "--max-memory", limit)
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
	if err := recipe.Fill(s, p.Bands, records, rand.NewPCG(1, 2)); err != nil {
		return errors.Join(err, s.Close())
	}
	// at the position where the program has left it
	return errors.Join(s.Commit(s.Committed()), s.Close())
}
