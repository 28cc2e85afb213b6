// Quality measures on real records what mithril-stream removes and what it misses. Each command
// prints tables in Markdown.
//
//	labels    --records X --labels Y.tsv    precision and recall against planted clusters
//	pairs     --records X [--truth T.tsv]   share of similar pairs that are caught
//	removed   --records X                   every removal with its reason
//	accuracy  --records X                   precision and recall at the threshold, far removals
//	originals --records X                   the exact memory: removals, and whom it names
//	groups    --records X                   groups beside those of exactly similar pairs
//
// Records are JSON Lines with the members "id" and "text". Options of the program follow --.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
)

type cli struct {
	Labels    labelsCommand    `cmd:"" help:"Precision and recall of what is removed, against planted clusters."`
	Pairs     pairsCommand     `cmd:"" help:"The share of similar pairs that are caught, beside what the curve expects, and how it scatters with the seed."`
	Accuracy  accuracyCommand  `cmd:"" help:"Precision and recall at the threshold of what the program removes, and how much of it is far below."`
	Groups    groupsCommand    `cmd:"" help:"The pairs of records in groups, beside those that chains of exactly similar pairs join."`
	Originals originalsCommand `cmd:"" help:"What the exact memory removes beside the Bloom filters, and whether it names the nearest record."`
	Removed   removedCommand   `cmd:"" help:"Every removed record by its exact Jaccard similarity with earlier ones."`
}

// workplace is a directory for files that are gone when the command ends.
type workplace string

// input is what all commands need.
type input struct {
	Records string   `required:"" placeholder:"FILE" help:"JSON Lines with id and text."`
	Options []string `arg:"" optional:"" help:"Options of mithril-stream, after --."`
}

// verdicts is where the program's decisions come from.
type verdicts struct {
	Program string `default:"../bin/mithril-stream" help:"The program to run."`
	Flags   string `placeholder:"FILE" help:"Take the decisions from this file, which --flags wrote, and run nothing."`
}

func main() {
	var c cli
	ctx := kong.Parse(&c, kong.Name("quality"))
	ctx.BindTo(os.Stdout, (*io.Writer)(nil))
	ctx.FatalIfErrorf(program.InTemp(func(dir string) error { return ctx.Run(workplace(dir)) }))
}

// open reads the records and the recipe.
func (in input) open() (*corpus, *recipe.Recipe, error) {
	r, err := recipe.New(in.Options)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(in.Records)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	c, err := readCorpus(f, r.Sketcher)
	if err != nil {
		return nil, nil, fmt.Errorf("%s:%w", in.Records, err)
	}
	return c, r, nil
}

// judged reads the records, the recipe and the program's decision about each record.
func (v verdicts) judged(in input) (c *corpus, r *recipe.Recipe, kept []bool, err error) {
	if c, r, err = in.open(); err != nil {
		return nil, nil, nil, err
	}
	kept, err = v.kept(in, len(c.ids))
	return c, r, kept, err
}

// kept returns the decision about each record.
func (v verdicts) kept(in input, records int) ([]bool, error) {
	kept, err := program.ReadFlags(v.Flags)
	if v.Flags == "" {
		kept, err = program.Kept(v.Program, in.Options, in.Records)
	}
	if err != nil {
		return nil, err
	}
	if len(kept) != records {
		return nil, fmt.Errorf("%d flags for %d records: they are of another run", len(kept), records)
	}
	return kept, nil
}
