// Command strategies compares ways to find candidates for verification: what each of them finds,
// and what it costs, with the same memory. It prints a table in Markdown.
//
//	go run ./strategies -threshold 0.85 records.jsonl
//
// Every strategy has the same signatures, of independent hash functions, and tables from keys to
// records. Candidates are verified by exact sets, so what is missed is missed by the strategy
// alone. Brute force compares all signatures; it is the oracle of the others.
// Clusters are groups of what was found. The CPU time is a multiple of the first strategy's, and
// has its maps and the verification in it.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/sketch"
)

func main() {
	threshold := flag.Float64("threshold", .85, "Jaccard similarity from which on records are duplicates")
	program.Main(1, "strategies [-threshold J] RECORDS.jsonl, which have the member text", func(string) error {
		return run(flag.Arg(0), *threshold, os.Stdout)
	})
}

func run(path string, threshold float64, out io.Writer) error {
	records, err := read(path)
	if err != nil {
		return err
	}
	truth, wanted := bruteForce(records, threshold)
	fmt.Fprintf(out, "%d records, of which %d have an earlier one at %g\n\n", len(records), wanted, threshold)
	t := markdown.New("strategy", "bytes a record", "found", "clusters", "looked up", "met", "verified", "CPU time")
	baseline := time.Duration(0)
	for _, s := range strategies {
		before := turns.Own()
		r := s.run(records, threshold, truth)
		took := turns.Own() - before
		baseline = cmp.Or(baseline, took)
		all := float64(len(records))
		t.Add(s.name, s.bytes(), fmt.Sprintf("%.4f", float64(r.found)/float64(max(1, wanted))), r.clusters,
			fmt.Sprintf("%.1f", float64(r.lookups)/all), fmt.Sprintf("%.2f", float64(r.met)/all),
			fmt.Sprintf("%.2f", float64(r.verified)/all), fmt.Sprintf("%.1f", float64(took)/float64(baseline)))
	}
	t.Write(out)
	return nil
}

// read sketches the records of a file.
func read(path string) (sketched []record, err error) {
	defaults, err := sketch.Preset("")
	if err != nil {
		return nil, err
	}
	sketcher, err := sketch.New(defaults.Params)
	if err != nil {
		return nil, err
	}
	texts, err := records.Read[struct{ Text string }](path)
	for _, r := range texts {
		if set := sketcher.Shingles(nil, []byte(r.Text)); len(set) > 0 {
			sketched = append(sketched, newRecord(set))
		}
	}
	return sketched, err
}
