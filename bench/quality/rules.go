package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/sketch"
)

type rulesCommand struct {
	input
	Rule  []string `required:"" placeholder:"BxRxC" help:"C votes of B bands of R rows, of a signature of B·R slots or of KxBxRxC, K slots. May be given several times."`
	Seeds int      `default:"3" help:"How many seeds of the sketch, from the one of the options on."`
}

func (c rulesCommand) Run(out io.Writer) error {
	if c.Seeds < 1 {
		return fmt.Errorf("%d seeds: at least 1 is needed", c.Seeds)
	}
	rules, err := parseRules(c.Rule)
	if err != nil {
		return err
	}
	records, r, err := c.open()
	if err != nil {
		return err
	}
	threshold := r.Filter.Similar.Threshold
	nearest := nearestEarlier(records, func(int) bool { return true })
	fmt.Fprintf(out, "%d records, %d seeds from %d on, exact sets in place of filters, every record remembered. "+
		"Counts are means over the seeds, and\nthe spread is from the lowest to the highest.\n\n",
		len(nearest), c.Seeds, r.Filter.Similar.Seed.Number)
	head := []string{"rule", "slots", fmt.Sprintf("precision at %g", threshold), "spread",
		fmt.Sprintf("recall at %g", threshold), "spread",
		fmt.Sprintf("recall at %g", veryClose)}
	for _, edge := range farEdges {
		head = append(head, fmt.Sprintf("removed below %g", edge))
	}
	t := markdown.New(head...)
	for _, rule := range rules {
		results, err := tryRule(records, nearest, params(r.Sketcher.Params(), rule), rule.Votes, threshold, c.Seeds)
		if err != nil {
			return err
		}
		t.Add(ruleCells(rule, results)...)
	}
	t.Write(out)
	return nil
}

func parseRules(texts []string) ([]bloomlsh.Banding, error) {
	var rules []bloomlsh.Banding
	for _, text := range texts {
		rule, err := parseRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// parseRule reads BxRxC or KxBxRxC.
func parseRule(text string) (bloomlsh.Banding, error) {
	var numbers []int
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return bloomlsh.Banding{}, fmt.Errorf("rule %q: %q is no number above 0", text, part)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 3 {
		numbers = append([]int{numbers[0] * numbers[1]}, numbers...)
	}
	if len(numbers) != 4 {
		return bloomlsh.Banding{}, fmt.Errorf("rule %q is neither BxRxC nor KxBxRxC, such as 32x8x8", text)
	}
	b := bloomlsh.Banding{NumPerm: numbers[0], Bands: numbers[1], Rows: numbers[2], Votes: numbers[3]}
	if b.Votes > b.Bands || b.NumPerm < b.Bands*b.Rows {
		return b, fmt.Errorf("rule %q: votes are at most the bands, and these take %d slots", text, b.Bands*b.Rows)
	}
	return b, nil
}

// params are what the sketcher has under another rule.
func params(p sketch.Params, rule bloomlsh.Banding) sketch.Params {
	p.NumPerm, p.Bands, p.Rows = rule.NumPerm, rule.Bands, rule.Rows
	return p
}

// tryRule returns the accuracy under each seed.
func tryRule(c *corpus, nearest []float64, p sketch.Params, votes int,
	threshold float64, seeds int) ([]accuracy, error) {
	var results []accuracy
	for range seeds {
		s, err := sketch.New(p)
		if err != nil {
			return nil, err
		}
		a := accuracy{threshold: threshold}
		for record, n := range countVotes(c.bandKeys(s), p.Bands) {
			a.add(nearest[record], n >= votes)
		}
		results = append(results, a)
		p.Seed++
	}
	return results, nil
}

// countVotes returns how many keys of each record an earlier one had in the same band.
func countVotes(keys [][]xxh3.Uint128, bands int) []int {
	votes := make([]int, len(keys))
	for band := range bands {
		seen := make(map[xxh3.Uint128]bool, len(keys))
		for record, k := range keys {
			if k == nil {
				continue
			}
			if seen[k[band]] {
				votes[record]++
			}
			seen[k[band]] = true
		}
	}
	return votes
}

func ruleCells(rule bloomlsh.Banding, results []accuracy) []any {
	var precision, recall, closeRecall []float64
	var far [len(farEdges)]float64
	for _, a := range results {
		precision, recall, closeRecall = append(precision,
			a.precision()), append(recall, a.recall()), append(closeRecall, a.closeRecall())
		for i, n := range a.far {
			far[i] += float64(n) / float64(len(results))
		}
	}
	cells := []any{
		fmt.Sprintf("%d×%d, %d", rule.Bands, rule.Rows, rule.Votes), rule.NumPerm,
		fmt.Sprintf("%.4f", mean(precision)), spread(precision), fmt.Sprintf("%.4f",
			mean(recall)), spread(recall), fmt.Sprintf("%.4f", mean(closeRecall)),
	}
	for _, n := range far {
		cells = append(cells, fmt.Sprintf("%.1f", n))
	}
	return cells
}
