package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

type removedCommand struct {
	input
	verdicts
	List string `placeholder:"FILE" help:"Write every removed record here, tab-separated: id, reason, nearest earlier record, Jaccard similarity, probability of the removal."`
}

func (c removedCommand) Run(out io.Writer) error {
	records, r, kept, err := c.judged(c.input)
	if err != nil {
		return err
	}
	found := investigate(records, r, kept)
	fmt.Fprintf(out, "%s\n\n", r)
	writeBySimilarity(out, found, r.Filter.Rule.Threshold)
	writeReasons(out, records, r, found)
	if c.List == "" {
		return nil
	}
	list, err := os.Create(c.List)
	if err != nil {
		return err
	}
	err = writeList(list, records, found, r.Filter.Rule.Threshold)
	return errors.Join(err, list.Close())
}

// A finding is what the exact search says about a record.
type finding struct {
	removed bool
	nearest int     // the earlier record of the largest similarity, or -1
	jaccard float64 // with the nearest
	enough  bool    // votes of earlier records
	// probability of removal if all earlier records that resemble this one were as good as one:
	// P(jaccard)
	atLeast float64
	atMost  float64 // the same if they were independent: their votes add up
}

// investigate compares each record with all earlier ones that the index remembers.
func investigate(c *corpus, r *recipe.Recipe, kept []bool) []finding {
	found := make([]finding, len(c.ids))
	seen := make([]map[xxh3.Uint128]bool, r.Index.Bands)
	for band := range seen {
		seen[band] = map[xxh3.Uint128]bool{}
	}
	c.eachOverlap(func(record int, overlaps []sets.Overlap) bool {
		f := finding{removed: !kept[record], nearest: -1}
		var others []lsh.Crowd
		for _, o := range overlaps {
			if o.Jaccard > f.jaccard {
				f.nearest, f.jaccard = o.Earlier, o.Jaccard
			}
			others = append(others, lsh.Crowd{Records: 1, Similarity: o.Jaccard})
		}
		f.atLeast, f.atMost = r.Catch(f.jaccard), r.Rule.CatchAmong(0, others)
		votes := 0
		for band, key := range c.keys[record] {
			if seen[band][key] {
				votes++
			}
		}
		f.enough = votes >= r.Rule.Votes
		found[record] = f
		if r.Index.Remember == bloomlsh.RememberUnseen && f.removed {
			return false
		}
		for band, key := range c.keys[record] {
			seen[band][key] = true
		}
		return true
	})
	return found
}

// similarityEdges are the upper ends of the rows of the table below the threshold.
var similarityEdges = []float64{0.1, 0.3, 0.5, 0.6, 0.7, 0.8}

func writeBySimilarity(out io.Writer, found []finding, threshold float64) {
	edges := []float64{0}
	for _, e := range similarityEdges {
		if e < threshold {
			edges = append(edges, e)
		}
	}
	edges = append(edges, threshold, 0.9, 1)
	slices.Sort(edges)
	edges = append(slices.Compact(edges), math.Inf(1))

	fmt.Fprintln(out, "Largest exact Jaccard similarity with any earlier record; expected removals by "+
		"1−(1−J^r)^b, once for the nearest earlier record\nalone and once for all earlier records as if they "+
		"were independent: the number to expect lies between.")
	fmt.Fprintln(out)
	t := markdown.New("similarity", "records", "removed", "expected, nearest", "expected, all")
	for i := len(edges) - 2; i >= 0; i-- {
		records, removed, atLeast, atMost := 0, 0, 0.0, 0.0
		for _, f := range found {
			if f.jaccard < edges[i] || f.jaccard >= edges[i+1] {
				continue
			}
			records++
			if f.removed {
				removed++
			}
			atLeast += f.atLeast
			atMost += f.atMost
		}
		name := fmt.Sprintf("%g – %g", edges[i], edges[i+1])
		if edges[i] == 1 {
			name = "1"
		}
		if records > 0 {
			t.Add(name, records, removed, atLeast, atMost)
		}
	}
	t.Write(out)
}

// A reason is why a record was removed.
type reason int

const (
	duplicate    reason = iota // similarity at or above the threshold
	belowAndNear               // an S-curve is not a step: below the threshold, from 0.5 on
	belowAndFar                // the same below 0.5
	falsePositive
	reasons
)

var reasonNames = [reasons]string{
	duplicate:     "duplicate: J ≥ threshold",
	belowAndNear:  "S-curve: enough votes, 0.5 ≤ J < threshold",
	belowAndFar:   "S-curve: enough votes, J < 0.5",
	falsePositive: "filters: too few votes of earlier records",
}

func (f finding) reason(threshold float64) reason {
	switch {
	case f.jaccard >= threshold:
		return duplicate
	case !f.enough:
		return falsePositive
	case f.jaccard >= lowestBand:
		return belowAndNear
	}
	return belowAndFar
}

// examples is how many records of each reason are named in the table.
const examples = 3

func writeReasons(out io.Writer, c *corpus, r *recipe.Recipe, found []finding) {
	var count [reasons]int
	var named [reasons][]string
	for record, f := range found {
		if !f.removed {
			continue
		}
		why := f.reason(r.Filter.Rule.Threshold)
		if count[why]++; count[why] <= examples {
			named[why] = append(named[why], fmt.Sprintf("%s ~ %s (J %.2f, P %.2f)", c.ids[record], c.nearest(f),
				f.jaccard, f.atMost))
		}
	}
	t := markdown.New("reason of the removal", "records", "examples: record ~ nearest earlier one")
	for why, name := range reasonNames {
		t.Add(name, count[why], strings.Join(named[why], "; "))
	}
	t.Write(out)
}

// writeList writes a line for each removed record.
func writeList(out io.Writer, c *corpus, found []finding, threshold float64) error {
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "id\treason\tnearest\tjaccard\tprobability")
	for record, f := range found {
		if f.removed {
			fmt.Fprintf(w, "%s\t%s\t%s\t%.4f\t%.4f\n", c.ids[record], reasonNames[f.reason(threshold)], c.nearest(f),
				f.jaccard, f.atMost)
		}
	}
	return w.Flush()
}

// nearest is the id of the earlier record of the largest similarity.
func (c *corpus) nearest(f finding) string {
	if f.nearest < 0 {
		return "none"
	}
	return c.ids[f.nearest]
}
