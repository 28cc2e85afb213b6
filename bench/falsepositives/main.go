// Falsepositives counts what an index removes without a reason: records that share no word with
// each other are fed to it, so that every removal is an error. It compares the counts with the
// error model of the program.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./falsepositives
//
// It prints tables in Markdown, and fails if a count is more than 1.3 times of what the model
// expects or beyond what chance explains.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

type cli struct {
	Program string  `default:"../bin/mithril-stream" help:"The program to run."`
	Records int     `default:"1000000" help:"Records of a run, and capacity of the index."`
	Queries int     `default:"4000000" help:"Further records that the full index is asked for."`
	FPRate  float64 `name:"fp-rate" default:"1e-4" help:"Promised rate at capacity."`
	Seed    uint64  `default:"1" help:"Seed of the records."`
}

// A setting is what a row of the tables is about.
type setting struct {
	name    string
	options []string
	model   bool // the error model speaks of it: filters err, keys do not
}

var settings = []setting{
	{"defaults", nil, true},
	{"defaults", []string{"--on-full", "refuse"}, true},
	{"defaults", []string{"--filter", "classic"}, true},
	{"defaults", []string{"--filter", "classic", "--on-full", "refuse"}, true},
	{"4 votes", []string{"--bands", "28", "--rows", "9", "--votes", "4"}, true},
	{"one vote", []string{"--tune", "recall", "--votes", "1"}, true},
	{"paper", []string{"--preset", "paper"}, true},
	{"one vote, sum keys", []string{"--tune", "recall", "--votes", "1", "--band-key", "sum"}, false},
	{"paper, sum keys", []string{"--preset", "paper", "--band-key", "sum"}, false},
}

func main() {
	var c cli
	ctx := kong.Parse(&c, kong.Name("falsepositives"))
	ctx.FatalIfErrorf(c.run(os.Stdout))
}

func (c cli) run(out io.Writer) error {
	return errors.Join(c.wholeRuns(out), c.fullIndexes(out))
}

// recipe returns the recipe of a setting at the capacity and rate of the benchmark.
func (c cli) recipe(s setting) (*recipe.Recipe, error) {
	return recipe.New(append([]string{
		"--capacity", strconv.Itoa(c.Records), "--fp-rate", strconv.FormatFloat(c.FPRate, 'g', -1, 64),
	}, s.options...))
}

// wholeRuns feeds the program with as many records as its index has room for.
func (c cli) wholeRuns(out io.Writer) error {
	fmt.Fprintf(out, "%d records of %d words, no two with a word in common, through the program; p_eff %g "+
		"at capacity %d:\n\n",
		c.Records, wordsPerRecord, c.FPRate, c.Records)
	t := markdown.New("setting", "bands × rows", "filter", "on full", "removed", "expected by the model",
		"range that chance explains")
	var errs []error
	for _, s := range settings {
		r, err := c.recipe(s)
		if err != nil {
			return err
		}
		stats, err := program.Run(c.Program, r.Options, newRecords(c.Seed, 0, c.Records))
		if err != nil {
			return err
		}
		if stats.Records != uint64(c.Records) {
			return fmt.Errorf("%s: the program counted %d records", s.name, stats.Records)
		}
		expected := bloomlsh.ExpectedFalseRemovals(r.Index, stats.Records)
		least, most := poissonRange(expected)
		p := r.Sketcher.Params()
		t.Add(s.name, fmt.Sprintf("%d × %d", p.Bands, p.Rows), r.Index.Filter, r.Index.OnFull, stats.Duplicates,
			expected,
			fmt.Sprintf("%d – %d", least, most))
		if n := int(stats.Duplicates); s.model && (n < least || n > most) {
			errs = append(errs, fmt.Errorf("%s %q: %d removals, chance explains %d to %d", s.name, s.options, n, least,
				most))
		}
	}
	t.Write(out)
	return errors.Join(errs...)
}

// fullIndexes asks full indexes for records that they do not hold. Nothing is inserted on the way,
// so that the rate is that at capacity, and there are enough of them for a bound that a single run
// cannot give.
func (c cli) fullIndexes(out io.Writer) error {
	fmt.Fprintf(out, "Indexes that hold %d records, asked for %d others:\n\n", c.Records, c.Queries)
	t := markdown.New("setting", "bands × rows", "filter", "on full", "called duplicates", "expected by the model",
		"ratio", "standard error")
	var errs []error
	for _, group := range groupByKeys(settings) {
		measured, err := c.askFull(group)
		if err != nil {
			return err
		}
		for _, m := range measured {
			p := m.recipe.Sketcher.Params()
			ratio, se := float64(m.found)/m.expected, poissonError(m.expected)
			t.Add(m.setting.name, fmt.Sprintf("%d × %d", p.Bands, p.Rows), m.recipe.Index.Filter, m.recipe.Index.OnFull,
				m.found, m.expected, ratio, se)
			if m.setting.model && ratio > maxRatio {
				errs = append(errs, fmt.Errorf("%s %q: %.2f times of what the model expects, allowed is %g",
					m.setting.name, m.setting.options, ratio, maxRatio))
			}
		}
	}
	t.Write(out)
	return errors.Join(errs...)
}

// maxRatio is how far a measured rate may be above the model's.
const maxRatio = 1.3
