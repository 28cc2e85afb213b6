package lsh

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// definedGroups joins all pairs that resemble each other until nothing changes.
func definedGroups(p Params, sketches [][]uint64) (groups [][]uint64) {
	m := &model{p: p}
	of := make([]int, len(sketches)) // the smallest record of the group
	for i := range of {
		of[i] = i
	}
	for changed := true; changed; {
		changed = false
		for i, a := range sketches {
			for j, b := range sketches[:i] {
				if a == nil || b == nil || of[i] == of[j] {
					continue
				}
				if votes, agree := m.compare(a, b); votes >= p.Votes && m.similarity(agree) >= p.Threshold {
					of[i], of[j], changed = min(of[i], of[j]), min(of[i], of[j]), true
				}
			}
		}
	}
	for root := range of {
		var group []uint64
		for i := range of {
			if of[i] == root {
				group = append(group, uint64(i+1))
			}
		}
		if len(group) >= 2 {
			groups = append(groups, group)
		}
	}
	return groups
}

func TestGroupsAreThoseOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			Bands: rapid.IntRange(1, 5).Draw(t, "bands"), Rows: rapid.IntRange(1, 4).Draw(t, "rows"),
			Threshold: rapid.SampledFrom([]float64{0, .3, .5, .8, 1}).Draw(t, "threshold"),
		}
		p.NumPerm = p.Bands*p.Rows + rapid.IntRange(0, 9).Draw(t, "unused slots")
		p.Votes = rapid.IntRange(1, p.Bands).Draw(t, "votes")
		g, err := NewGroups(p)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if rapid.Bool().Draw(t, "in files") { // from any record on, and sorted in several parts
			g.params.MaxMemory = rapid.Uint64Range(1, 160*uint64(g.signatures.size)).Draw(t, "max memory")
			g.leastRoom = rapid.Uint64Range(1, 1000).Draw(t, "least room")
		}
		values := rapid.IntRange(1, 6).Draw(t, "values")
		signature := rapid.SliceOfN(rapid.Uint64Range(0, uint64(values)), p.NumPerm, p.NumPerm)
		var sketches [][]uint64
		for range rapid.IntRange(0, 40).Draw(t, "records") {
			if rapid.IntRange(0, 9).Draw(t, "has a sketch") == 0 {
				sketches = append(sketches, nil)
				g.Pass()
				continue
			}
			words := sketchOf(p, signature.Draw(t, "signature"))
			sketches = append(sketches, words)
			if err := g.Add(words); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Find(context.Background()); err != nil {
			t.Fatal(err)
		}
		var got [][]uint64
		for group := range g.All() {
			got = append(got, slices.Clone(group))
		}
		want := definedGroups(p, sketches)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for _, group := range got {
			a, b := group[0], group[len(group)-1]
			m := &model{p: p}
			_, agree := m.compare(sketches[a-1], sketches[b-1])
			if got, want := g.Similarity(a, b), float32(m.similarity(agree)); got != want {
				t.Fatalf("%d and %d: similarity %v, want %v", a, b, got, want)
			}
		}
	})
}

// TestChainIsOneGroup: neighbours resemble each other, the ends have nothing in common.
func TestChainIsOneGroup(t *testing.T) {
	g, err := NewGroups(ordinary)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	rng := rand.New(rand.NewPCG(1, 7))
	slots, other := random(rng, ordinary), random(rng, ordinary)
	for i := range slots {
		if err := g.Add(sketchOf(ordinary, slots)); err != nil {
			t.Fatal(err)
		}
		slots[i] = other[i]
	}
	if err := g.Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	groups := 0
	for group := range g.All() {
		groups++
		if len(group) != len(slots) || g.Similarity(group[0], group[len(group)-1]) > .05 {
			t.Errorf("%d records, similarity of the ends %v", len(group), g.Similarity(group[0], group[len(group)-1]))
		}
	}
	if groups != 1 {
		t.Errorf("%d groups", groups)
	}
}

// TestDenseGroups: neither many copies nor many records that share keys and are unlike take
// quadratic time.
func TestDenseGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	for name, c := range map[string]struct {
		records, groups, largest int
		words                    func(i int) []uint64
	}{
		"copies": {300_000, 1, 300_000, func() func(int) []uint64 {
			words := sketchOf(ordinary, random(rng, ordinary))
			return func(int) []uint64 { return words }
		}()},
		"one key for all, unlike": {20_000, 0, 0, func() func(int) []uint64 {
			first := random(rng, ordinary)
			return func(int) []uint64 {
				return sketchOf(ordinary, slices.Concat(first[:ordinary.Rows], random(rng, ordinary)[ordinary.Rows:]))
			}
		}()},
		"one key for all, alike": {20_000, 1, 20_000, func() func(int) []uint64 {
			first := random(rng, ordinary)
			return func(int) []uint64 {
				return sketchOf(ordinary, slices.Concat(first[:120], random(rng, ordinary)[120:]))
			}
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := NewGroups(ordinary)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			if testing.Short() {
				c.records, c.largest = c.records/10, c.largest/10
			}
			for i := range c.records {
				if err := g.Add(c.words(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.Find(t.Context()); err != nil {
				t.Fatal(err)
			}
			groups, largest := 0, 0
			for records := range g.All() {
				groups, largest = groups+1, max(largest, len(records))
			}
			if groups != c.groups || largest != c.largest {
				t.Errorf("%d groups, the largest of %d", groups, largest)
			}
			if n := g.Stats().Forgotten; n > 0 && c.groups > 0 {
				t.Errorf("%d pairs were given up, though all records are in one group", n)
			}
		})
	}
}
