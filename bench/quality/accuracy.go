package main

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

type accuracyCommand struct {
	input
	verdicts
}

func (c accuracyCommand) Run(out io.Writer) error {
	records, r, kept, err := c.judged(c.input)
	if err != nil {
		return err
	}
	forgets := r.Index.Remember == bloomlsh.RememberUnseen
	nearest := nearestEarlier(records, func(record int) bool { return kept[record] || !forgets })
	a := accuracy{threshold: r.Filter.Rule.Threshold}
	for record, jaccard := range nearest {
		a.add(jaccard, !kept[record])
	}
	fmt.Fprintf(out, "%s\n\n", r)
	t := markdown.New(append([]string{"records", "with an earlier one at the threshold", "removed"}, a.head()...)...)
	t.Add(append([]any{len(nearest), a.similar, a.removed}, a.cells()...)...)
	t.Write(out)
	return nil
}

// nearestEarlier returns the largest exact Jaccard similarity of each record with an earlier one
// that is remembered.
func nearestEarlier(c *corpus, remembered func(record int) bool) []float64 {
	nearest := make([]float64, len(c.ids))
	c.eachOverlap(func(record int, overlaps []sets.Overlap) bool {
		for _, o := range overlaps {
			nearest[record] = max(nearest[record], o.Jaccard)
		}
		return remembered(record)
	})
	return nearest
}

// veryClose is the similarity from which a missed duplicate counts for itself.
const veryClose = 0.9

// farEdges are the similarities below which a removal is told apart.
var farEdges = [...]float64{0.7, 0.6, 0.5}

// An accuracy counts removals by the similarity with the nearest earlier record.
type accuracy struct {
	threshold           float64
	removed, right      int // right: with an earlier record at the threshold or above
	similar             int // all that have such an earlier record
	close, closeRemoved int // the same from veryClose on
	far                 [len(farEdges)]int
	edges               [len(farEdges)]float64 // below which these are; farEdges if they are zero
}

func (a *accuracy) add(jaccard float64, removed bool) {
	if jaccard >= a.threshold {
		a.similar++
	}
	if jaccard >= veryClose {
		a.close++
	}
	if !removed {
		return
	}
	a.removed++
	if jaccard >= a.threshold {
		a.right++
	}
	if jaccard >= veryClose {
		a.closeRemoved++
	}
	edges := a.edges
	if edges[0] == 0 {
		edges = farEdges
	}
	for i, edge := range edges {
		if jaccard < edge {
			a.far[i]++
		}
	}
}

func (a *accuracy) precision() float64   { return share(a.right, a.removed) }
func (a *accuracy) recall() float64      { return share(a.right, a.similar) }
func (a *accuracy) closeRecall() float64 { return share(a.closeRemoved, a.close) }

func (a *accuracy) head() []string {
	head := []string{
		fmt.Sprintf("precision at %g", a.threshold), fmt.Sprintf("recall at %g",
			a.threshold), fmt.Sprintf("recall at %g", veryClose),
	}
	for _, edge := range farEdges {
		head = append(head, fmt.Sprintf("removed below %g", edge))
	}
	return head
}

func (a *accuracy) cells() []any {
	cells := []any{fmt.Sprintf("%.4f", a.precision()), fmt.Sprintf("%.4f", a.recall()),
		fmt.Sprintf("%.4f", a.closeRecall())}
	for _, n := range a.far {
		cells = append(cells, n)
	}
	return cells
}
