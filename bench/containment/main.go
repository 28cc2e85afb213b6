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

	"github.com/mithril-stream/mithril-stream/bench/markdown"
	"github.com/mithril-stream/mithril-stream/bench/program"
	"github.com/mithril-stream/mithril-stream/bench/records"
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
	var sets *sets
	if c.Contained {
		head = append(head, "≥ .8 in an earlier one", "≥ .7", "less")
		if sets, err = setsOf(records); err != nil {
			return err
		}
	}
	t := markdown.New(head...)
	for _, rule := range c.Rule {
		row, err := c.measure(rule, records, names, kinds, sets)
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
	rule string, records []record, names []string, kinds map[string]int, sets *sets,
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
		if sets != nil {
			switch share := sets.inEarlier(i); {
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
	if sets != nil {
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

// sets are the shingles of all records, and which records have each.
type sets struct {
	of    [][]uint64
	lists map[uint64][]uint32
}

func setsOf(records []record) (*sets, error) {
	shingler, err := sketch.New(sketch.ShingleParams("nfkc-fold", "word", 5))
	if err != nil {
		return nil, err
	}
	s := &sets{lists: map[uint64][]uint32{}}
	for i, r := range records {
		set := shingler.Shingles(nil, []byte(r.Text))
		slices.Sort(set)
		set = slices.Clip(slices.Compact(set))
		s.of = append(s.of, set)
		for _, h := range set {
			s.lists[h] = append(s.lists[h], uint32(i))
		}
	}
	return s, nil
}

// inEarlier is how much of a record is in the earlier record that has the most of it.
func (s *sets) inEarlier(i int) float64 {
	counts := make([]int, i)
	for _, h := range s.of[i] {
		for _, j := range s.lists[h] {
			if int(j) >= i {
				break
			}
			counts[j]++
		}
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	return float64(most) / float64(max(1, len(s.of[i])))
}
