package postings

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// What a table will take is said before it takes it, also while it grows, and not said twice: one
// that has room takes no more.
func TestWhatATableTakesIsKnownBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, err := New(rapid.SampledFrom([]Shape{Quick, Dense}).Draw(t, "shape"))
		if err != nil {
			t.Fatal(err)
		}
		defer table.Release()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		upper := rng.Uint32() // keys from there on, for which places after the last home are needed
		for entry := uint32(0); entry < 5000; {
			more := 1 + rng.IntN(50)
			before := table.Bytes()
			after, beside := table.With(more)
			for range more {
				key := max(rng.Uint32(), upper)
				if had := len(table.Of(key)); had == 64 {
					table.Replace(key, had/2, entry)
				} else if err := table.Insert(key, entry); err != nil {
					t.Fatal(err)
				}
				entry++
			}
			if got := table.Bytes(); got > after || got > before && beside != before {
				t.Fatalf("%d postings more: %d bytes in place of %d, and %d beside %d are said", more, got, before,
					after, beside)
			}
		}
	})
}

// A table leads from a key to its entries, whatever the keys are and however often it grew: all of
// them, but for those that gave their places to later ones. Its words stand in their order.
func TestTableIsThatOfTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, err := New(rapid.SampledFrom([]Shape{Quick, Dense}).Draw(t, "shape"))
		if err != nil {
			t.Fatal(err)
		}
		defer table.Release()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		oneInRepeated := rapid.IntRange(1, 8).Draw(t, "one in so many keys is of few")
		few := []uint32{0, 1, 77, math.MaxUint32 - 1, math.MaxUint32}
		const most = 8
		want, keys := map[uint32][]uint32{}, []uint32{}
		for entry := range uint32(20_000) {
			key := rng.Uint32()
			if rng.IntN(oneInRepeated) == 0 {
				key = few[rng.IntN(len(few))]
			}
			if rng.IntN(2) == 0 { // as a record that is asked for before it is inserted
				compareEntries(t, &table, key, want[key])
			}
			if had := len(want[key]); had == most {
				i := rng.IntN(had)
				table.Replace(key, i, entry)
				want[key] = slices.Delete(want[key], i, i+1)
			} else if err := table.Insert(key, entry); err != nil {
				t.Fatal(err)
			}
			want[key], keys = append(want[key], entry), append(keys, key)
			table.Of(keys[rng.IntN(len(keys))]) // another search between
		}
		count := 0
		for key, entries := range want {
			compareEntries(t, &table, key, entries)
			count += len(entries)
		}
		var words []uint64
		table.EachRun(func(run []uint64) { words = append(words, run...) })
		if !slices.IsSorted(words) || slices.Contains(words, 0) || len(words) != count || table.Len() != count {
			t.Fatalf("%d words, and %d are said, for %d; sorted: %v", len(words), table.Len(), count,
				slices.IsSorted(words))
		}
	})
}

// Tables of several sizes of pages are the same.
func TestLargeTableKeepsAll(t *testing.T) {
	table, err := New(Quick)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	const count = 1_000_000 // 10 MiB
	rng := rand.New(rand.NewPCG(1, 9))
	for entry := range uint32(count) {
		if err := table.Insert(rng.Uint32(), entry); err != nil {
			t.Fatal(err)
		}
	}
	rng = rand.New(rand.NewPCG(1, 9))
	for entry := range uint32(count) {
		if key := rng.Uint32(); !slices.Contains(table.Of(key), uint64(key)<<32|uint64(entry+1)) {
			t.Fatalf("entry %d is not found", entry)
		}
	}
	if got := float64(table.Bytes()); table.Len() != count || got > Quick.BytesOf()*count {
		t.Errorf("%d postings take %.0f bytes, more than %.1f each", table.Len(), got, Quick.BytesOf())
	}
}

// compareEntries looks a key up.
func compareEntries(t *rapid.T, table *Table, key uint32, want []uint32) {
	var got []uint32
	for _, word := range table.Of(key) {
		got = append(got, EntryOf(word))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("key %d: %v, want %v", key, got, want)
	}
}
