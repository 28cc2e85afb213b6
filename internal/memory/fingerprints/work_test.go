package fingerprints

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// fromTemplate are fingerprints that differ from each other in some of 24 bits of each word.
func fromTemplate(rng *rand.Rand, p Params, count int) (items [][]uint64) {
	for range count {
		item := make([]uint64, p.Words())
		for w := range item {
			item[w] = 0x123456789abcdef0 ^ rng.Uint64()&0xffffff
		}
		items = append(items, item)
	}
	return items
}

// Where very many fingerprints share their lanes, tables are left for a comparison with all; where
// they are random, they are not. What is found is the same: all that is near, and the earliest of
// the nearest.
func TestWorkIsBounded(t *testing.T) {
	const count = 3000
	for _, p := range []Params{{Bits: 64, Distance: 3}, {Bits: 64, Distance: 10}, {Bits: 64, Distance: 12},
		{Bits: 64, Distance: 16}, {Bits: 128, Distance: 3}, {Bits: 128, Distance: 20}} {
		rng := rand.New(rand.NewPCG(41, 42))
		items := fromTemplate(rng, p, count)
		x := mustNew(t, p)
		plain := plainIndex{params: p}
		lanesOf(x).mostLatest = count * 2 / 3
		for i, item := range items {
			got := make([]memory.Match, 1)
			if n, err := x.Observe(item, got); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			if want := plain.observe(item); got[0] != want {
				t.Fatalf("%+v: record %d: %+v, want %+v", p, i+1, got[0], want)
			}
		}
		lanes := lanesOf(x)
		run, latest := lanes.runs[0], &lanes.latest
		for _, asked := range items[:50] {
			if run.lookup(&lanes.lanes, asked, &hits{limit: p.Distance}) {
				t.Errorf("%+v: a run is gone through by tables", p)
			}
			if latest.lookup(&lanes.lanes, asked, &hits{limit: p.Distance}) {
				t.Errorf("%+v: the latest are gone through by chains", p)
			}
			if got, want := found(x, asked), within(plain, asked); !slices.Equal(got, want) {
				t.Fatalf("%+v: %d are near, want %d", p, len(got), len(want))
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTablesAreUsedForRandomFingerprints(t *testing.T) {
	const count = 20000
	for _, p := range []Params{{Bits: 64, Distance: 3}, {Bits: 64, Distance: 10}, {Bits: 128, Distance: 20}} {
		x := mustNew(t, p)
		lanesOf(x).mostLatest = count / 2
		rng := rand.New(rand.NewPCG(43, 44))
		for range count {
			if _, err := x.Observe(random(rng, p), make([]memory.Match, 1)); err != nil {
				t.Fatal(err)
			}
		}
		lanes := lanesOf(x)
		for range 50 {
			asked := random(rng, p)
			inRun := lanes.runs[0].lookup(&lanes.lanes, asked, &hits{limit: p.Distance})
			inLatest := lanes.latest.lookup(&lanes.lanes, asked, &hits{limit: p.Distance})
			if !inRun || !inLatest {
				t.Fatalf("%+v: all are compared: %v, %v", p, !inRun, !inLatest)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// found are the records that are near, in their order.
func found(x *Index, asked []uint64) (records []uint64) {
	x.finder.each(asked, x.params.Distance, func(m hit) { records = append(records, m.Record) })
	slices.Sort(records)
	return records
}

// within are the records that a plain index finds: of equal ones the first.
func within(x plainIndex, asked []uint64) (records []uint64) {
	seen := make(map[[8]uint64]bool) // more words than a fingerprint has
	for i, item := range x.items {
		if x.params.distance(asked, item) > x.params.Distance {
			continue
		}
		key := [8]uint64{7: uint64(len(item))}
		if copy(key[:7], item); !seen[key] {
			seen[key] = true
			records = append(records, x.numbers[i])
		}
	}
	return records
}
