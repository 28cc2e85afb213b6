package signatures

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A thresholdCrowd is a crowd whose sets all have the same similarity to each other. The larger
// sets have so many hashes that of 10,000 pairs some 30 have a common one too many by the first
// parts.
type thresholdCrowd struct {
	common, own int
	similar     bool // as far as the threshold of .85
}

var thresholdCrowds = []thresholdCrowd{
	{1838, 163, false}, // .84936
	{1836, 162, true},  // .85
	{1835, 162, false}, // .84993
	{1840, 162, true},  // .85028
	{170, 16, false},   // .84158
	{170, 15, true},    // .85
}

// hashes returns the sets of a crowd.
func (c thresholdCrowd) hashes(rng *rand.Rand, records int) (sets [][]uint64) {
	draw := func(n int) (set []uint64) {
		for range n {
			set = append(set, rng.Uint64())
		}
		return set
	}
	common := draw(c.common)
	for range records {
		set := slices.Concat(common, draw(c.own))
		slices.Sort(set)
		sets = append(sets, set)
	}
	return sets
}

// sketchesOfSets returns sketches of sets, whose signatures are all equal.
func sketchesOfSets(p Params, sets [][]uint64) (all [][]uint64) {
	for _, set := range sets {
		words := append(sketchOf(p, make([]uint64, p.NumPerm)), uint64(len(set)))
		all = append(all, PackSet(p.SetForm(), append(words, set...), len(words)))
	}
	return all
}

var nearThreshold = []Params{
	{NumPerm: 8, Bands: 2, Rows: 4, Votes: 1, Threshold: .85, Sets: true},
	// a share of .91891 or more makes sets of equal size as similar as .85
	{NumPerm: 8, Bands: 2, Rows: 4, Votes: 1, Threshold: .5, Sets: true, Containment: 34. / 37},
}

// TestThreshold: no crowd just below the threshold loses a record, and none just above it keeps
// one. Originals are as similar as they are said to be.
func TestThreshold(t *testing.T) {
	records := 200
	if testing.Short() {
		records = 50 // an index is in one goroutine
	}
	for i, crowd := range thresholdCrowds {
		for _, p := range nearThreshold {
			sets := crowd.hashes(rand.New(rand.NewPCG(uint64(i), 1)), records)
			sketches := sketchesOfSets(p, sets)
			x := newIndex(t, p)
			matches := make([]memory.Match, records)
			if _, err := x.Observe(slices.Concat(sketches...), matches); err != nil {
				t.Fatal(err)
			}
			for i, m := range matches {
				switch {
				case (m.Record != 0) != (crowd.similar && i > 0):
					t.Fatalf("%+v: record %d has the match %+v", crowd, i+1, m)
				case m.Record != 0 && m.Similarity != similarityOfHashes(p, sets[i], sets[m.Record-1]):
					t.Fatalf("%+v: record %d has the match %+v, want %v", crowd, i+1, m,
						similarityOfHashes(p, sets[i], sets[m.Record-1]))
				}
			}
			checkNear(t, x, sets, sketches[records-1])
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func similarityOfHashes(p Params, a, b []uint64) float32 {
	if p.Containment > 0 {
		return float32(sketch.ContainmentOfSets(a, b))
	}
	return float32(sketch.JaccardOfSets(a, b))
}

// checkNear asks what is near the last record.
func checkNear(t *testing.T, x *Index, sets [][]uint64, words []uint64) {
	near, err := x.Near(nil, words, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range near {
		if want := similarityOfHashes(x.params, sets[len(sets)-1], sets[m.Record-1]); m.Similarity != want {
			t.Errorf("record %d has a similarity of %v, want %v", m.Record, m.Similarity, want)
		}
	}
	if len(near) < 16 {
		t.Errorf("%d records are near", len(near))
	}
}

// TestThresholdOfGroups: the same is true of groups.
func TestThresholdOfGroups(t *testing.T) {
	records := 100
	if testing.Short() {
		records = 40
	}
	for i, crowd := range thresholdCrowds {
		for _, p := range nearThreshold {
			sets := crowd.hashes(rand.New(rand.NewPCG(uint64(i), 2)), records)
			g, err := NewGroups(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, words := range sketchesOfSets(p, sets) {
				if err := g.Add(words); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.Find(context.Background()); err != nil {
				t.Fatal(err)
			}
			groups := 0
			for group := range g.All() {
				if groups++; len(group) != records {
					t.Errorf("%+v: a group of %d", crowd, len(group))
				}
			}
			if groups != boolToInt(crowd.similar) || g.Resemble(1, uint64(records)) != crowd.similar {
				t.Errorf("%+v: %d groups", crowd, groups)
			}
			if got, want := g.Similarity(2, 3), similarityOfHashes(p, sets[1], sets[2]); got != want {
				t.Errorf("%+v: a similarity of %v, want %v", crowd, got, want)
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
