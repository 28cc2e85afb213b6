package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/dedup/union"
)

type groupsCommand struct {
	input
	Program string   `default:"../bin/mithril-stream" help:"The program to run."`
	Verify  []string `default:"signature,text" help:"How groups verify candidates."`
}

// Run compares the groups of the program with what chains of exactly similar pairs join, by the
// pairs of records that are in one group.
func (c groupsCommand) Run(out io.Writer, w workplace) error {
	records, r, err := c.open()
	if err != nil {
		return err
	}
	threshold := r.Filter.Rule.Threshold
	truth := components(len(records.ids), similarPairs(records, threshold))
	fmt.Fprintf(out, "%s, %d records, pairs from %g on\n\n", filepath.Base(c.Records), len(records.ids), threshold)
	t := markdown.New("verified by", "pairs in groups", "of those of exact groups", "precision", "recall")
	for _, verify := range c.Verify {
		groups, err := c.groups(w, verify, records)
		if err != nil {
			return err
		}
		ours, both := pairsIn(groups), pairsIn(inBoth(groups, truth))
		t.Add(verify, ours, pairsIn(truth), fmt.Sprintf("%.4f", share(both, ours)),
			fmt.Sprintf("%.4f", share(both, pairsIn(truth))))
	}
	t.Write(out)
	return nil
}

// groups has the program group the records, and returns the group of each.
func (c groupsCommand) groups(w workplace, verify string, records *corpus) ([]int, error) {
	path := filepath.Join(string(w), "clusters.json")
	args := slices.Concat([]string{"groups", "-q", "--verify", verify, "--id", "id", "--clusters", path, "-o",
		os.DevNull}, c.Options, []string{c.Records})
	if said, err := exec.Command(c.Program, args...).CombinedOutput(); err != nil {
		return nil, errors.Join(err, errors.New(string(said)))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var clusters []struct {
		Representative string   `json:"representative"`
		Duplicates     []string `json:"duplicates"`
	}
	if err := json.Unmarshal(text, &clusters); err != nil {
		return nil, err
	}
	of := make([]int, len(records.ids))
	for i := range of {
		of[i] = i
	}
	for _, cluster := range clusters {
		for _, id := range cluster.Duplicates {
			of[records.place[id]] = records.place[cluster.Representative]
		}
	}
	return of, nil
}

// components are the groups that chains of pairs join.
func components(records int, pairs []pair) []int {
	var joined union.Groups
	for range records {
		joined.Add()
	}
	for _, p := range pairs {
		joined.Join(uint32(p.a), uint32(p.b))
	}
	of := make([]int, records)
	for i := range of {
		of[i] = int(joined.Root(uint32(i)))
	}
	return of
}

// inBoth are the groups of records that are together in both of two.
func inBoth(a, b []int) []int {
	first, of := map[[2]int]int{}, make([]int, len(a))
	for i := range a {
		cell := [2]int{a[i], b[i]}
		if _, ok := first[cell]; !ok {
			first[cell] = i
		}
		of[i] = first[cell]
	}
	return of
}

// pairsIn is how many pairs of records are in one group.
func pairsIn(of []int) (pairs int) {
	sizes := map[int]int{}
	for _, group := range of {
		pairs += sizes[group]
		sizes[group]++
	}
	return pairs
}
