package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
)

type originalsCommand struct {
	input
	Program string `default:"../bin/mithril-stream" help:"The program to run."`
	Verify  string `default:"signature" help:"How the exact memory verifies."`
}

// Run runs the program twice, with Bloom filters and with the exact memory, and compares what they
// remove, and the originals that the second names, with exact similarities.
func (c originalsCommand) Run(out io.Writer, w workplace) error {
	records, r, err := c.open()
	if err != nil {
		return err
	}
	bloom, err := program.Kept(c.Program, c.Options, c.Records)
	if err != nil {
		return err
	}
	path := filepath.Join(string(w), "originals.jsonl")
	options := slices.Concat(
		[]string{"--memory", "exact", "--verify", c.Verify, "--id", "id", "--originals", path}, c.Options)
	exact, err := program.Kept(c.Program, options, c.Records)
	if err != nil {
		return err
	}
	named, err := readOriginals(path, records)
	if err != nil {
		return err
	}
	threshold := r.Filter.Rule.Threshold
	rules := [2]accuracy{}
	for i := range rules {
		rules[i] = accuracy{threshold: threshold, edges: [...]float64{threshold, threshold - .05, .5}}
	}
	var found naming
	records.eachOverlap(func(record int, overlaps []sets.Overlap) bool {
		nearest, withNamed := 0., 0.
		for _, o := range overlaps {
			nearest = max(nearest, o.Jaccard)
			if o.Earlier == named[record].original {
				withNamed = o.Jaccard
			}
		}
		rules[0].add(nearest, !bloom[record])
		rules[1].add(nearest, !exact[record])
		if !exact[record] {
			found.add(nearest, withNamed, named[record].similarity)
		}
		return true
	})
	fmt.Fprintf(out, "%s, %d records\n\n", r, len(exact))
	t := markdown.New("memory", "removed",
		fmt.Sprintf("of those at %g and above", threshold), fmt.Sprintf("below %g", threshold),
		fmt.Sprintf("below %.2f", threshold-.05), "below 0.5")
	for i, name := range []string{"bloom", "exact"} {
		a := rules[i]
		t.Add(name, a.removed, fmt.Sprintf("%.4f", a.recall()), a.far[0], a.far[1], a.far[2])
	}
	t.Write(out)
	fmt.Fprintf(out, "\nThe original named is within 0.02 of the nearest earlier record for %.2f %% of %d removals.\n"+
		"The similarity reported differs from that with the original by %.3f (root mean square).\n",
		100*share(found.near, found.all), found.all, math.Sqrt(found.squares/float64(max(1, found.all))))
	return nil
}

// A naming counts originals.
type naming struct {
	all, near int
	squares   float64 // of the errors of reported similarities
}

func (n *naming) add(nearest, withNamed, reported float64) {
	n.all++
	if withNamed >= nearest-.02 {
		n.near++
	}
	n.squares += (reported - withNamed) * (reported - withNamed)
}

// An original is what the program says about a removed record.
type original struct {
	original   int // the number of the record
	similarity float64
}

// readOriginals reads what --originals wrote, by the numbers of the removed records.
func readOriginals(path string, c *corpus) ([]original, error) {
	lines, err := records.Read[struct {
		ID, Original string
		Similarity   float64
	}](path)
	named := make([]original, len(c.ids))
	for _, line := range lines {
		named[c.place[line.ID]] = original{c.place[line.Original], line.Similarity}
	}
	return named, err
}
