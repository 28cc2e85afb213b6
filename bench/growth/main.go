// Command growth measures what it costs not to say how many records will come: the same records
// with --capacity, from a file without it, and from a pipe without it.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./growth -records 4000000
//
// With -schedules it computes what other sizes of further generations would cost. With -crowds it
// measures what rules remove of pages of one site, as more and more of them come.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

func main() {
	binary := program.Flag()
	rounds := flag.Int("rounds", 5, "how often each way is run")
	records := flag.Int("records", 4_000_000, "how many there are, each of 40 words")
	computed := flag.Bool("schedules", false, "compute other ways to grow, and run nothing")
	crowded := flag.Bool("crowds", false, "have the records share much, up to -records of them")
	const usage = "growth [-program PROGRAM] [-rounds N] [-records N] [-schedules] [-crowds]"
	program.Main(0, usage, func(dir string) error {
		if *crowded {
			return crowds(*binary, dir, *records)
		}
		if *computed {
			return compare()
		}
		return measure(*binary, dir, *rounds, *records)
	})
}

// A way is one to give the program its input.
type way struct {
	name    string
	options []string
	piped   bool
}

func measure(binary, dir string, rounds, records int) error {
	path := filepath.Join(dir, "records.jsonl")
	if err := write(path, records); err != nil {
		return err
	}
	ways := []way{
		{"planned, from a file", []string{"--capacity", fmt.Sprint(records), path}, false},
		{"not planned, from a file", []string{path}, false},
		{"planned, from a pipe", []string{"--capacity", fmt.Sprint(records)}, true},
		{"not planned, from a pipe", nil, true},
	}
	seconds, memory := make([][]float64, len(ways)), make([]uint64, len(ways))
	for range rounds {
		for i, w := range ways {
			stats, err := w.run(binary, path)
			if err != nil {
				return err
			}
			seconds[i], memory[i] = append(seconds[i], stats.CPU), max(memory[i], stats.PeakMemory)
		}
	}
	for i, w := range ways {
		base := i / 2 * 2 // the planned run of the same input
		fmt.Printf("%-26s CPU %.2f s, %.2f of planned; memory %.0f MB, %.2f of planned\n", w.name,
			turns.Median(seconds[i]), turns.Ratio(seconds[i], seconds[base]), float64(memory[i])/1e6,
			float64(memory[i])/float64(memory[base]))
	}
	return nil
}

func (w way) run(binary, path string) (program.Stats, error) {
	if !w.piped {
		return program.Run(binary, w.options, nil)
	}
	file, err := os.Open(path)
	if err != nil {
		return program.Stats{}, err
	}
	defer file.Close()
	return program.Run(binary, w.options, struct{ io.Reader }{file}) // not the file itself
}

// write writes records of words that are drawn at random, so that none resembles another.
func write(path string, count int) error {
	return records.Write(path, func(out *bufio.Writer) error {
		random := rand.New(rand.NewPCG(1, 0))
		for range count {
			out.WriteString(`{"text":"`)
			for word := range 40 {
				if word > 0 {
					out.WriteByte(' ')
				}
				fmt.Fprintf(out, "w%x", random.IntN(50_000))
			}
			out.WriteString("\"}\n")
		}
		return nil
	})
}
