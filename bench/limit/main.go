// Command limit measures an index that is larger than the memory that it may take, beside the same
// index in memory.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./limit FILE.jsonl
//
// The index is filled with random band keys, so that all its generations are as full as those of a
// crawl of as many records. It is made in TMPDIR, on the disk that is to be measured.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/turns"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

func main() {
	log.SetFlags(0)
	program := flag.String("program", "../bin/mithril-stream", "what to measure")
	rounds := flag.Int("rounds", 3, "how often each way is run")
	capacity := flag.Int("capacity", 200_000_000, "records that the index is planned for")
	records := flag.Int("records", 150_000_000, "records that are in the index")
	limit := flag.String("limit", "2GiB", "memory of the limited run")
	keep := flag.String("index", "", "make the index here, and keep it; or use the one that is here")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: limit [-program PROGRAM] [-rounds N] [-capacity N] [-records N] [-limit SIZE] FILE")
	}
	path, err := filepath.Abs(*program)
	if err == nil {
		err = measure(path, flag.Arg(0), *keep, *capacity, *records, *limit, *rounds)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func measure(program, file, index string, capacity, records int, limit string, rounds int) (err error) {
	if index == "" {
		dir, err := os.MkdirTemp("", "mithril-limit")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		index = filepath.Join(dir, "index")
	}
	if _, err := os.Stat(index); errors.Is(err, os.ErrNotExist) {
		if err := fill(program, index, capacity, records, limit); err != nil {
			return err
		}
	}
	// --against leaves the index as it is, so that each round finds the same. Its copies are not
	// read through the page cache, which would otherwise have all of them after the first round.
	ways := []string{
		fmt.Sprintf("%s -q --read-only --index %s < %s > /dev/null", program, index, file),
		fmt.Sprintf("%s -q --read-only --index %s --memory-limit %s < %s > /dev/null", program, index, limit, file),
		fmt.Sprintf("%s -q --read-only --index %s < /dev/null", program, index),
		fmt.Sprintf("%s -q --read-only --index %s --memory-limit %s < /dev/null", program, index, limit),
	}
	seconds, _, _, err := turns.Wall(ways, rounds)
	if err != nil {
		return err
	}
	inMemory, limited := seconds[0]-seconds[2], seconds[1]-seconds[3]
	fmt.Printf("in memory      %.2f s, and %.2f s to open\nlimited to %s %.2f s, and %.2f s to open\n", inMemory,
		seconds[2], limit, limited, seconds[3])
	fmt.Printf("the limited index has %.2f of the rate in memory\n", inMemory/limited)
	return nil
}

// fill makes an index with the parameters of the program, and random keys.
func fill(program, index string, capacity, records int, limit string) error {
	cmd := exec.Command(program, "-q", "--index", index, "--capacity", fmt.Sprint(capacity), "--memory-limit", limit)
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
	random := rand.New(rand.NewPCG(1, 2))
	const batch = 1000
	keys, votes := make([]bloomlsh.Key, batch*p.Bands), make([]uint16, batch)
	for range records / batch {
		for i := range keys {
			keys[i] = bloomlsh.Key{Hi: random.Uint64(), Lo: random.Uint64()}
		}
		if _, err := s.Observe(keys, votes); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	// at the position where the program has left it
	return errors.Join(s.Commit(s.Committed()), s.Close())
}
