package fingerprints

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// drawItems are some fingerprints, many of them near others, and where they end in an index.
func drawItems(t *rapid.T, p Params) [][]uint64 {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	return planted(rng, p, rapid.IntRange(1, 150).Draw(t, "records"))
}

func TestNearIsWhatIsNearestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		items, x := drawItems(t, p), mustNew(t, p)
		defer x.Close()
		first := map[string]uint64{}
		for i, item := range items {
			if _, ok := first[keyOf(item)]; !ok {
				first[keyOf(item)] = uint64(i + 1)
			}
			if _, err := x.Observe(item, make([]memory.Match, 1)); err != nil {
				t.Fatal(err)
			}
		}
		asked := items[rapid.IntRange(0, len(items)-1).Draw(t, "asked")]
		var hits []hit
		for i, item := range items {
			if d := p.distance(asked, item); d <= p.Distance && first[keyOf(item)] == uint64(i+1) {
				hits = append(hits, hit{uint64(i + 1), d})
			}
		}
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.Distance, b.Distance) })
		k := rapid.IntRange(0, 20).Draw(t, "k")
		want := []memory.Match{{Record: 7, Similarity: 7}}
		for _, h := range hits[:min(k, len(hits))] {
			want = append(want, matchOf(p, h))
		}
		before := x.Stats()
		got, err := x.Near(want[:1:1], asked, k)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%+v: %v, %v, want %v", p, got, err, want)
		}
		if x.Stats() != before {
			t.Fatal("a question is remembered")
		}
	})
}

func keyOf(item []uint64) string {
	var key []byte
	for _, word := range item {
		for shift := range 8 {
			key = append(key, byte(word>>(8*shift)))
		}
	}
	return string(key)
}

func mustNew(t interface{ Fatal(...any) }, p Params) *Index {
	x, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	if p.Measure == Hamming {
		lanesOf(x).mostLatest = 9
	}
	return x
}

// Groups are the connected components of all near pairs.
func TestGroupsAreThoseOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		items := drawItems(t, p)
		f := newFinder(p)
		if p.Measure == Hamming {
			f.(*multiIndex).mostLatest = 9
		}
		g := groupsBy(f, p)
		defer g.Close()
		passed := rapid.IntRange(0, len(items)-1).Draw(t, "passed")
		group := make([]int, len(items))
		for i, item := range items {
			group[i] = i
			if i == passed {
				g.Pass()
				continue
			}
			if err := g.Add(item); err != nil {
				t.Fatal(err)
			}
			for j := range i {
				if from, to := group[i], group[j]; j != passed && p.distance(item, items[j]) <= p.Distance {
					for k := range group[:i+1] {
						if group[k] == from || group[k] == to {
							group[k] = min(from, to)
						}
					}
				}
			}
		}
		var want, got [][]uint64
		for i := range items {
			var records []uint64
			for j := range items {
				if group[j] == i {
					records = append(records, uint64(j+1))
				}
			}
			if len(records) > 1 {
				want = append(want, records)
			}
		}
		for records := range g.All() {
			got = append(got, slices.Clone(records))
			want := p.distance(items[records[0]-1], items[records[1]-1])
			if s := g.Similarity(records[0], records[1]); s != float32(max(0, p.Similarity(want))) {
				t.Fatal(s, want)
			}
			for _, record := range records[1:] {
				d := p.distance(items[records[0]-1], items[record-1])
				if g.Resemble(records[0], record) != (d <= p.Distance) {
					t.Fatalf("%d and %d: %d", records[0], record, d)
				}
			}
			parts, err := g.Split(records)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range parts {
				for _, record := range part[1:] {
					if d := p.distance(items[part[0]-1], items[record-1]); d > p.Distance || len(part) < 2 {
						t.Fatalf("%d with %d: %d", part[0], record, d)
					}
					if !g.Resemble(part[0], record) {
						t.Fatalf("%d does not resemble its leader %d", record, part[0])
					}
				}
			}
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%+v: %v, want %v", p, got, want)
		}
		if s := g.Similarity(uint64(passed+1), uint64(passed+1)); s != 0 {
			t.Fatal("a record without a fingerprint resembles itself")
		}
	})
}

func TestGroupsRefuse(t *testing.T) {
	if _, err := NewGroups(Params{Bits: 64, UnseenOnly: true}); err == nil {
		t.Error("groups of unseen ones only")
	}
	if _, err := NewGroups(Params{Bits: 1}); err == nil {
		t.Error("fingerprints of a bit")
	}
	g, err := NewGroups(Params{Measure: TLSH, Distance: math.MaxInt8})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Add([]uint64{1}); err == nil {
		t.Error("a part of a digest is taken")
	}
}
