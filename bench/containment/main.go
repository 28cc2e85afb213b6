// Containment measures what rules remove: by labels, and by how much of a removed record is in one
// earlier record, exactly.
//
//	go run ./containment --records FILE [--versions REGEXP] --rule="OPTIONS" --rule="OPTIONS" …
//
// Records are JSON Lines with id and text, and perhaps cluster and kind, as the gold set has them.
// A record's label is its cluster, or its id without the parts of the path that match --versions.
// It is a copy by label if an earlier record has the same one.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/sketch"
)

type cli struct {
	Records   string   `required:"" placeholder:"FILE" help:"JSON Lines with id and text."`
	Rule      []string `required:"" sep:"none" placeholder:"OPTIONS" help:"Options of the program, parted by spaces. Repeat it for several rules."`
	Versions  string   `placeholder:"REGEXP" help:"Parts of the path that an id is which say what version a page has."`
	Contained bool     `help:"Say how much of removed records is in earlier ones, by their shingles of five words."`
	Program   string   `default:"../bin/mithril-stream" help:"The program to run."`
}

func main() {
	var c cli
	ctx := kong.Parse(&c, kong.Name("containment"))
	ctx.FatalIfErrorf(c.run(os.Stdout))
}

func (c *cli) run(out io.Writer) error {
	versions, err := regexp.Compile("^(?:" + c.Versions + ")$")
	if err != nil {
		return err
	}
	records, err := readRecords(c.Records, versions)
	if err != nil {
		return err
	}
	copies := 0
	kinds := map[string]int{}
	for _, r := range records {
		if r.isCopy {
			copies++
			kinds[r.Kind]++
		}
	}
	fmt.Fprintf(out, "%d records, of which %d are copies by label\n\n", len(records), copies)
	head := []string{"rule", "removed", "copies", "others", "precision", "recall"}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(kind string) bool { return kind == "" })
	for _, kind := range names {
		head = append(head, "recall of "+kind)
	}
	var contained []float64 // of each record
	if c.Contained {
		head = append(head, "≥ .8 in an earlier one", "≥ .7", "less")
		if contained, err = sharesOf(records); err != nil {
			return err
		}
	}
	t := markdown.New(head...)
	for _, rule := range c.Rule {
		row, err := c.measure(rule, records, names, kinds, contained)
		if err != nil {
			return err
		}
		t.Add(row...)
	}
	t.Write(out)
	return nil
}

// measure is the row of a rule.
func (c *cli) measure(
	rule string, records []record, names []string, kinds map[string]int, contained []float64,
) ([]any, error) {
	kept, err := program.Kept(c.Program, strings.Fields(rule), c.Records)
	if err != nil {
		return nil, err
	}
	if len(kept) != len(records) {
		return nil, fmt.Errorf("%s: %d flags of %d records", rule, len(kept), len(records))
	}
	right, all, copies := 0, 0, 0
	of := map[string]int{}
	var shares [3]int
	for i, r := range records {
		if r.isCopy {
			copies++
		}
		if kept[i] {
			continue
		}
		all++
		if r.isCopy {
			right++
			of[r.Kind]++
		}
		if contained != nil {
			switch share := contained[i]; {
			case share >= .8:
				shares[0]++
			case share >= .7:
				shares[1]++
			default:
				shares[2]++
			}
		}
	}
	row := []any{"`" + rule + "`", all, right, all - right, decimals(right, all), decimals(right, copies)}
	for _, kind := range names {
		row = append(row, decimals(of[kind], kinds[kind]))
	}
	if contained != nil {
		row = append(row, shares[0], shares[1], shares[2])
	}
	return row, nil
}

func decimals(part, all int) string { return fmt.Sprintf("%.4f", float64(part)/float64(max(1, all))) }

type record struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Cluster string `json:"cluster"`
	Kind    string `json:"kind"`
	isCopy  bool
}

func readRecords(path string, versions *regexp.Regexp) ([]record, error) {
	all, err := records.Read[record](path)
	seen := map[string]bool{}
	for i, r := range all {
		label := r.Cluster
		if label == "" {
			parts := slices.DeleteFunc(strings.Split(r.ID, "/"), versions.MatchString)
			label = strings.Join(parts, "/")
		}
		all[i].isCopy = seen[label]
		seen[label] = true
	}
	return all, err
}

// sharesOf are how much of each record is in the earlier record that has the most of it, by
// shingles.
func sharesOf(records []record) (shares []float64, err error) {
	shingler, err := sketch.New(sketch.ShingleParams("nfkc-fold", "word", 5))
	if err != nil {
		return nil, err
	}
	var earlier sets.Earlier
	for _, r := range records {
		set := sets.Of(shingler.Shingles(nil, []byte(r.Text)))
		most := 0
		for _, o := range earlier.Overlaps(set) {
			most = max(most, o.Common)
		}
		shares = append(shares, float64(most)/float64(max(1, len(set))))
		earlier.Add(set)
	}
	return shares, nil
}
