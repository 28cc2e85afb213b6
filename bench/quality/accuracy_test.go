package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

func TestAccuracy(t *testing.T) {
	a := accuracy{threshold: .85}
	for _, record := range []struct {
		jaccard float64
		removed bool
	}{
		// five at the threshold, of them three are removed
		{1, true}, {.95, true}, {.9, false}, {.86, true}, {.85, false},
		{.8, true}, {.65, true}, {.55, true}, {.1, true}, {0, false},
	} {
		a.add(record.jaccard, record.removed)
	}
	if a.precision() != 3./7 || a.recall() != 3./5 || a.closeRecall() != 2./3 || a.far != [3]int{3, 2, 1} {
		t.Errorf("precision %g, recall %g, of the very close %g, far removals %v", a.precision(), a.recall(),
			a.closeRecall(), a.far)
	}
	if head, cells := a.head(), a.cells(); len(head) != len(cells) || head[0] != "precision at 0.85" {
		t.Errorf("head %q, cells %v", head, cells)
	}
}

func TestNearestEarlier(t *testing.T) {
	c := testCorpus(t, testRecipe(t), "a b c d", "a b c e", "", "a b c e", "x", "===", "=", "===", "")
	all := nearestEarlier(c, func(int) bool { return true })
	if want := []float64{0, .6, 0, 1, 0, 0, 0, 1, 0}; !slices.Equal(all, want) {
		t.Errorf("nearest %v, want %v", all, want)
	}
	forgotten := nearestEarlier(c, func(record int) bool { return record != 1 })
	if want := []float64{0, .6, 0, .6, 0, 0, 0, 1, 0}; !slices.Equal(forgotten, want) {
		t.Errorf("without the second record: nearest %v, want %v", forgotten, want)
	}
}

// Votes are counted band by band: equal texts agree in all, and one vote is enough here.
func TestInvestigateCountsVotes(t *testing.T) {
	r := testRecipe(t, "--threshold", "0.5", "--num-perm", "12", "--bands", "4", "--rows", "3")
	rng := rand.New(rand.NewPCG(3, 4))
	var texts []string
	for range 80 {
		var words []string
		for range rng.IntN(9) {
			words = append(words, fmt.Sprintf("w%d", rng.IntN(12)))
		}
		texts = append(texts, strings.Join(words, " "))
	}
	c := testCorpus(t, r, append(texts, texts[:40]...)...)
	votes := countVotes(c.keys, 4)
	kept := make([]bool, len(votes))
	for record, n := range votes {
		kept[record] = n == 0
		if record >= 80 && n != 4 && c.keys[record] != nil {
			t.Errorf("a copy has %d votes of 4", n)
		}
	}
	for record, f := range investigate(c, r, kept) {
		if f.enough != (votes[record] > 0) {
			t.Errorf("record %d: %d votes, enough: %t", record, votes[record], f.enough)
		}
	}
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
