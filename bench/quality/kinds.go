package main

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

// kinds are the kinds of sketch, each at the threshold that is usual for it.
var kinds = []struct {
	name    string
	options []string
	needs   string // "model", or "idf" for a table of the weights of the records, or nothing
}{
	{"MinHash, votes", nil, ""},
	{"MinHash, verified", []string{"--memory", "exact"}, ""},
	{"MinHash, `--preset paper`", []string{"--preset", "paper"}, ""},
	{"SimHash, 3 of 64 bits", []string{"--sketch", "simhash"}, ""},
	{"SimHash, 6 of 64 bits", []string{"--sketch", "simhash", "--distance", "6"}, ""},
	{"SimHash, 3 of 64 bits, words", []string{"--sketch", "simhash", "--shingle-size", "1"}, ""},
	{"SimHash, 3 of 64 bits, words, idf", []string{"--sketch", "simhash"}, "idf"},
	{"SimHash, 6 of 64 bits, words, idf", []string{"--sketch", "simhash", "--distance", "6"}, "idf"},
	{"TLSH, 30", []string{"--sketch", "tlsh", "--distance", "30"}, ""},
	{"TLSH, 50", []string{"--sketch", "tlsh"}, ""},
	{"TLSH, 100", []string{"--sketch", "tlsh", "--distance", "100"}, ""},
	{"embedding, .9", []string{"--sketch", "embedding"}, "model"},
	{"embedding, .98", []string{"--sketch", "embedding", "--threshold", "0.98"}, "model"},
}

type kindsCommand struct {
	input
	Program string `default:"../bin/mithril-stream" help:"The program to run."`
	Labels  string `placeholder:"FILE" help:"Tab-separated, with a head line: id, cluster."`
	Model   string `placeholder:"DIR" help:"A model, for embeddings too."`
}

// Run prints a row for each kind.
func (c kindsCommand) Run(out io.Writer, w workplace) error {
	records, r, err := c.open()
	if err != nil {
		return err
	}
	table := filepath.Join(string(w), "table.idf")
	if _, err := turns.Run(exec.Command(c.Program, "idf", "-q", "-o", table, c.Records)); err != nil {
		return err
	}
	nearest := nearestEarlier(records, func(int) bool { return true })
	head := []string{"kind", "removed", fmt.Sprintf("precision at J ≥ %g", r.Filter.Similar.Threshold), "recall"}
	if c.Labels != "" {
		head = append(head, "precision by label", "recall by label")
	}
	t := markdown.New(append(head, "CPU µs a record", "bytes a record")...)
	for _, k := range kinds {
		options := k.options
		switch {
		case k.needs == "model" && c.Model == "":
			continue
		case k.needs == "model":
			options = append([]string{"--model", c.Model}, options...)
		case k.needs == "idf":
			options = append([]string{"--idf", table}, options...)
		}
		cells, err := c.row(records, nearest, r.Filter.Similar.Threshold, options)
		if err != nil {
			return err
		}
		t.Add(append([]any{k.name}, cells...)...)
	}
	t.Write(out)
	return nil
}

func (c kindsCommand) row(records *corpus, nearest []float64, threshold float64, options []string) ([]any, error) {
	kept, stats, err := program.Judged(c.Program,
		append([]string{"--threads", "1", "--capacity", fmt.Sprint(len(records.ids))}, options...), c.Records)
	if err != nil {
		return nil, err
	}
	var a labelScore // by the exact similarity
	for i, similarity := range nearest {
		a.count(similarity >= threshold, !kept[i])
	}
	cells := []any{a.removed, a.precision(), a.recall()}
	if c.Labels != "" {
		clusters, err := readClusters(c.Labels)
		if err != nil {
			return nil, err
		}
		s, err := score(records, kept, clusters)
		if err != nil {
			return nil, err
		}
		cells = append(cells, s.precision(), s.recall())
	}
	each := float64(len(records.ids))
	return append(cells, fmt.Sprintf("%.1f", 1e6*stats.CPU/each),
		fmt.Sprintf("%.0f", float64(stats.IndexBytes())/each)), nil
}

// count takes in a record that is a duplicate or not, and was removed or not.
func (s *labelScore) count(duplicate, removed bool) {
	if duplicate {
		s.planted++
	}
	if removed {
		s.removed++
	}
	if duplicate && removed {
		s.right++
	}
}
