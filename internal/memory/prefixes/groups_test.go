package prefixes

import (
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// countedNeighbours counts the entries that were found to resemble a record.
type countedNeighbours struct {
	neighbours
	found int
}

func (n *countedNeighbours) EachNear(do func(entry uint32), isKnown func(entry uint32) bool) {
	n.neighbours.EachNear(func(entry uint32) {
		n.found++
		do(entry)
	}, isKnown)
}

// TestGroupsCompareOnce checks that a record is compared with no further members of a group that it
// has joined: of 400 sets that all resemble each other, each finds one.
func TestGroupsCompareOnce(t *testing.T) {
	p := Params{Threshold: .75, Bands: 3}
	n := &countedNeighbours{neighbours: neighbours{Index: newIndex(t, p)}}
	g := memory.NewJoined(n, 0)
	defer g.Close()
	rng := rand.New(rand.NewPCG(1, 4))
	const records = 400
	for range records {
		var set []int
		for i := range 38 {
			set = append(set, i)
		}
		if err := g.Add(sketchOf(p, hashesOf(append(set, 1000+rng.IntN(1<<40))))); err != nil {
			t.Fatal(err)
		}
	}
	largest := 0
	for group := range g.All() {
		largest = max(largest, len(group))
	}
	if largest != records || n.found != records-1 {
		t.Errorf("%d of %d records are in a group, after %d joins", largest, records, n.found)
	}
}

// TestGroupsSayWhatTheyCut checks that a record is compared with a bounded number of others, and is
// counted if there were more: sets that share a lot, though less than the threshold asks for.
func TestGroupsSayWhatTheyCut(t *testing.T) {
	p := Params{Threshold: .75, Bands: 3}
	g, err := NewGroups(p)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	rng := rand.New(rand.NewPCG(1, 6))
	for range 2 * mostCompared {
		var set []int
		for i := range 300 {
			if i >= 240 {
				i = 1000 + rng.IntN(1<<40)
			}
			set = append(set, i)
		}
		if err := g.Add(sketchOf(p, hashesOf(set))); err != nil {
			t.Fatal(err)
		}
	}
	if cut := g.Cut(); cut == 0 || cut >= mostCompared {
		t.Errorf("%d of %d records were not compared with all", cut, 2*mostCompared)
	}
}
