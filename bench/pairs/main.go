// Command pairs measures what it costs to find all pairs of similar records, and compares them with
// those that a comparison of all records with all others finds.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./pairs FILE.jsonl…
//
// Records need the members id and text. Without files they are made: texts of 200 words of 50,000,
// of which every tenth is like an earlier one but for some words.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/stream/compress"
)

type measure struct {
	program   string
	threshold float64
	memory    string // --max-memory
	rounds    int
	compare   bool
}

func main() {
	var m measure
	binary := program.Flag()
	flag.Float64Var(&m.threshold, "threshold", .8, "the least similarity of a pair")
	flag.StringVar(&m.memory, "max-memory", "1TiB", "what the records may take in memory")
	flag.IntVar(&m.rounds, "rounds", 3, "how often they are found")
	flag.BoolVar(&m.compare, "compare", true, "compare all records with all others as well")
	count := flag.Int("records", 100_000, "how many records are made, without files")
	program.Main(-1, "", func(dir string) error {
		m.program = *binary
		paths := flag.Args()
		if len(paths) == 0 {
			paths = []string{filepath.Join(dir, "made.jsonl")}
			if err := write(paths[0], *count); err != nil {
				return err
			}
		}
		for _, path := range paths {
			if err := m.of(path); err != nil {
				return err
			}
		}
		return nil
	})
}

// of measures the pairs of one file, in turns with the default of the filter.
func (m measure) of(path string) error {
	var found []byte
	for range m.rounds {
		_, filter, err := m.run("-q", "--threads", "1", "-o", os.DevNull, path)
		if err != nil {
			return err
		}
		var used usage
		found, used, err = m.run("pairs", "-q", "--id", "id", "--threshold", fmt.Sprint(m.threshold), "--threads", "1",
			"--max-memory", m.memory, path)
		if err != nil {
			return err
		}
		fmt.Printf("%s at %v within %s: %d pairs, %.2f s of CPU time, %.2f of the filter, %d MiB at the peak\n",
			filepath.Base(path), m.threshold, m.memory, bytes.Count(found, []byte("\n"))-1, used.seconds,
			used.seconds/filter.seconds, used.peak>>20)
	}
	if !m.compare {
		return nil
	}
	expected, err := compareAll(path, m.threshold)
	if err != nil {
		return err
	}
	got := strings.Split(strings.TrimSuffix(string(found), "\n"), "\n")[1:]
	slices.Sort(got)
	slices.Sort(expected)
	if !slices.Equal(got, expected) {
		return fmt.Errorf("a comparison of all with all finds %d other pairs", len(expected))
	}
	fmt.Printf("a comparison of all with all finds the same %d pairs, with the same similarities\n", len(expected))
	return nil
}

// usage is what a program has used.
type usage struct {
	seconds float64 // of CPU time
	peak    int64   // bytes of memory
}

func (m measure) run(args ...string) (output []byte, used usage, err error) {
	cmd := exec.Command(m.program, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if used.seconds, err = turns.Run(cmd); err != nil {
		return nil, used, err
	}
	used.peak = turns.Peak(cmd)
	return out.Bytes(), used, nil
}

// compareAll counts for each record how many shingles each earlier one has in common with it.
func compareAll(path string, threshold float64) (pairs []string, err error) {
	of, err := recipe.New(nil)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in, err := compress.NewReader(file, path, compress.DefaultMaxWindow)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var ids []string
	var earlier sets.Earlier
	for d := json.NewDecoder(bufio.NewReader(in)); ; {
		var r struct{ ID, Text string }
		if err := d.Decode(&r); err == io.EOF {
			return pairs, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		set := sets.Of(of.Sketcher.Shingles(nil, []byte(r.Text)))
		for _, o := range earlier.Overlaps(set) {
			if o.Jaccard >= threshold {
				pairs = append(pairs, fmt.Sprintf("%s\t%s\t%v", ids[o.Earlier], r.ID, o.Jaccard))
			}
		}
		earlier.Add(set)
		ids = append(ids, r.ID)
	}
}

// made are records of which every tenth one is like an earlier one but for some words.
var made = records.Similar{Words: 200, Every: 10, Changes: 8}

func write(path string, count int) error {
	return records.Write(path, func(w *bufio.Writer) error {
		made.Each(count, func(i int, text []string) {
			fmt.Fprintf(w, "{\"id\":\"%d\",\"text\":\"%s\"}\n", i, strings.Join(text, " "))
		})
		return nil
	})
}
