package bloomlsh

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// bitsOf are the filters of a generation as they are, or would be without a table.
func bitsOf(g *generation) []uint64 {
	words := slices.Clone(g.words)
	if g.table != nil {
		g.table.moveTo(words)
	}
	return words
}

// A table gives the answers of exact sets, and leaves to the filters the bits that they would have without it.
func TestTableEqualsModelAndFilters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const records = 60
		p := drawParams(t)
		p.Capacity, p.Remember = records, RememberAll
		plan := planGeneration(p, 0)
		roomy := plan
		roomy.capacity = records * tableShare
		table, err := newKeyTable(roomy)
		if err != nil {
			t.Fatal(err)
		}
		defer table.close()
		model := newModel(p)
		direct := make([]uint64, plan.words())
		filters := newFilter(plan, direct)
		for range rapid.IntRange(0, records).Draw(t, "records") {
			keys := drawRecord(t, p.Bands)
			want := model.votes(keys)
			set := make(bandSet, setWords(p.Bands))
			if got := table.contains(keys, 0, set); got != want || set.count() != want {
				t.Fatalf("%v: %d votes, %v, want %d", keys, got, set, want)
			}
			if got := table.add(keys); got != want {
				t.Fatalf("%v: %d keys are present, want %d", keys, got, want)
			}
			filters.add(keys)
			model.observe(keys)
		}
		moved := make([]uint64, plan.words())
		table.moveTo(moved)
		if !slices.Equal(moved, direct) {
			t.Fatal("the filters have other bits than without the table")
		}
	})
}

// Keys that all begin their search at the same entry, or at the last one, are found all the same.
func TestTableOfCollidingKeys(t *testing.T) {
	const records = 32
	table, err := newKeyTable(geometry{bands: 1, capacity: records * tableShare})
	if err != nil {
		t.Fatal(err)
	}
	defer table.close()
	var keys []Key
	for lo := uint64(0); len(keys) < records; lo++ {
		key := Key{Lo: lo}
		if at, _ := table.begin(0, key); at == len(table.buckets)-1 {
			keys = append(keys, key)
		}
	}
	for i := range keys {
		if !table.hasRoom(1) {
			t.Fatalf("no room for record %d", i)
		}
		if present := table.add(keys[i : i+1]); present != 0 {
			t.Errorf("record %d is present", i)
		}
	}
	for i := range keys {
		if present := table.add(keys[i : i+1]); present != 1 {
			t.Errorf("record %d is not present when it comes again", i)
		}
	}
	if table.hasRoom(1) {
		t.Error("there is room for more than was allocated")
	}
}

// What an index says of itself does not change when it leaves the table.
func TestStatsOfTable(t *testing.T) {
	for _, filter := range []string{FilterPaged, FilterClassic} {
		x := mustNew(t, Params{Bands: 5, Capacity: 200_000, FPRate: 1e-8, Filter: filter, Remember: RememberAll, OnFull: OnFullGrow})
		stream, keys := &keyStream{5}, make([]Key, 5)
		for range 6000 {
			stream.fill(keys)
			if _, err := observeRecord(x, keys); err != nil {
				t.Fatal(err)
			}
		}
		before := x.Stats()
		if x.current().table == nil {
			t.Fatal("the table is left already")
		}
		x.current().leaveTable()
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
