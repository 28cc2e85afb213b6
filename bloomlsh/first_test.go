package bloomlsh

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// bitsOf returns the filters of a generation as they are, or would be without small filters.
func bitsOf(g *generation) []uint64 {
	words := slices.Clone(g.words)
	if g.first != nil {
		g.first.moveTo(words, 3)
	}
	return words
}

// TestFirstRecordsEqualModelAndFilters checks that the first records give the answers of exact
// sets, and leave the large filters as they would be without them.
func TestFirstRecordsEqualModelAndFilters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const records = 60
		p := drawParams(t)
		p.Capacity, p.Remember = records, RememberAll
		plan := planGeneration(p, 0)
		roomy := plan
		roomy.capacity = records * firstShare
		first, err := newFirstRecords(roomy, p.Votes)
		if err != nil {
			t.Fatal(err)
		}
		defer first.close()
		model := newModel(p)
		direct := make([]uint64, plan.words())
		filters := newFilter(plan, direct)
		for range rapid.IntRange(0, records).Draw(t, "records") {
			keys := drawRecord(t, p.Bands)
			if !first.hasRoom(1) {
				t.Fatal("there is less room than was planned")
			}
			want := model.votes(keys)
			set := make(bandSet, setWords(p.Bands))
			if got := first.contains(keys, 0, set); got != want || set.count() != want {
				t.Fatalf("%v: %d votes, %v, want %d", keys, got, set, want)
			}
			if got := first.add(keys); got != want {
				t.Fatalf("%v: %d keys are present, want %d", keys, got, want)
			}
			filters.add(keys)
			model.observe(keys)
		}
		moved := make([]uint64, plan.words())
		first.moveTo(moved, 2)
		if !slices.Equal(moved, direct) {
			t.Fatal("the filters have other bits than without the first records")
		}
	})
}

// TestFirstRecordsHardlyErr checks that the error rate of the small filters is low enough to go
// unnoticed, for one vote and for several.
func TestFirstRecordsHardlyErr(t *testing.T) {
	for _, p := range []Params{{Bands: 14}, {Bands: 42}, {Bands: 32, Votes: 8}, {Bands: 450}} {
		p = p.complete()
		small := planGeneration(p, 0).firstGeometry(p.Votes)
		band := small.bandRate(float64(small.capacity))
		if rate := p.wrongRate(band); small.capacity == 0 || rate > firstRate*(1+1e-9) || band > firstBandRate {
			t.Errorf("%d of %d bands: %d records, rate %g, %g of a band", p.Votes, p.Bands, small.capacity, rate, band)
		}
	}
}

// TestStatsOfFirstRecords checks that statistics do not change when the first records move to the
// large filters.
func TestStatsOfFirstRecords(t *testing.T) {
	for _, filter := range []string{FilterPaged, FilterClassic} {
		x := mustNew(t, Params{Bands: 5, Capacity: 200_000, Filter: filter})
		stream, keys := &keyStream{5}, make([]Key, 5)
		for range 6000 {
			stream.fill(keys)
			if _, err := observeRecord(x, keys); err != nil {
				t.Fatal(err)
			}
		}
		before := x.Stats()
		if x.current().first == nil {
			t.Fatal("the first records are in the filters already")
		}
		x.current().moveFirst()
		after := x.Stats()
		if fill, want := before.Generations[0].Fill, after.Generations[0].Fill; math.Abs(fill/want-1) > 0.05 {
			t.Errorf("%s: the fill is %g, in filters %g", filter, fill, want)
		}
		if before.Cardinality != 6000 || math.Abs(float64(after.Cardinality)/6000-1) > 0.05 {
			t.Errorf("%s: %d distinct records, in filters %d, want 6000", filter, before.Cardinality, after.Cardinality)
		}
		if before.Inserted != after.Inserted || before.FPRate != after.FPRate || before.Bytes != after.Bytes {
			t.Errorf("%s: %+v, in filters %+v", filter, before, after)
		}
	}
}

// TestFirstRecordsAreMovedWithAllCores checks that moving the first records, which everything waits
// for, happens once and uses all cores.
func TestFirstRecordsAreMovedWithAllCores(t *testing.T) {
	x := mustNew(t, Params{Bands: 3, Capacity: 100 * firstShare})
	wide := 0
	x.UseCores(2, func(work func()) {
		wide++
		work()
	})
	stream, keys := &keyStream{9}, make([]Key, 3)
	for record := range 150 {
		stream.fill(keys)
		if _, err := observeRecord(x, keys); err != nil {
			t.Fatal(err)
		}
		if want := record / 100; wide != want {
			t.Fatalf("the records were moved %d times after %d of them", wide, record+1)
		}
	}
}
