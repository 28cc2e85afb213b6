package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// crowdCommand makes records that resemble many earlier ones a little, as pages of one template do,
// and counts how many of them the program removes.
type crowdCommand struct {
	Program    string   `default:"../bin/mithril-stream" help:"The program to run."`
	Probes     int      `default:"200" help:"Records that meet a crowd."`
	Crowd      int      `default:"1000" help:"Earlier records that each of them meets."`
	Words      int      `default:"130" help:"Different words of each record."`
	Similarity float64  `default:"0.3" help:"Jaccard similarity with each of them, by words."`
	Seed       uint64   `default:"1" help:"Seed of the records."`
	Options    []string `arg:"" optional:"" help:"Options of mithril-stream, after --."`
}

func (c crowdCommand) Run(out io.Writer, w workplace) error {
	shared := int(2*float64(c.Words)*c.Similarity/(1+c.Similarity) + .5)
	jaccard := float64(shared) / float64(2*c.Words-shared)
	path := filepath.Join(string(w), "crowd.jsonl")
	err := records.Write(path, func(w *bufio.Writer) error { return c.write(w, shared) })
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d records, each after %d others with a Jaccard similarity of %.3f of %d words\n\n",
		c.Probes, c.Crowd, jaccard, c.Words)
	t := markdown.New("rule", "removed", "share", "expected by the model, at most")
	for _, options := range [][]string{c.Options, {"--tune", "recall", "--votes", "1"}} {
		r, err := recipe.New(append([]string{"--shingle-size", "1"}, options...))
		if err != nil {
			return err
		}
		kept, err := program.Kept(c.Program, r.Options, path)
		if err != nil {
			return err
		}
		removed := 0
		for probe := range c.Probes {
			if !kept[(probe+1)*(c.Crowd+1)-1] {
				removed++
			}
		}
		crowd := []bloomlsh.Crowd{{Records: float64(c.Crowd), Similarity: jaccard}}
		t.Add(r.Rule.String(), fmt.Sprint(removed), fmt.Sprintf("%.4f", float64(removed)/float64(c.Probes)),
			fmt.Sprintf("%.2g", r.Rule.CatchAmong(0, crowd)))
	}
	t.Write(out)
	return nil
}

// write makes the records: before each probe its crowd, of which each shares some of its words and
// has others of its own.
func (c crowdCommand) write(w *bufio.Writer, shared int) error {
	rng, fresh := rand.New(rand.NewPCG(c.Seed, 2)), 0
	word := func(n int) { fmt.Fprintf(w, "w%d ", n) }
	for range c.Probes {
		first := fresh
		fresh += c.Words
		for range c.Crowd {
			w.WriteString(`{"text":"`)
			for _, i := range rng.Perm(c.Words)[:shared] {
				word(first + i)
			}
			for range c.Words - shared {
				word(fresh)
				fresh++
			}
			w.WriteString("\"}\n")
		}
		w.WriteString(`{"text":"`)
		for i := range c.Words {
			word(first + i)
		}
		w.WriteString("\"}\n")
	}
	return nil
}
