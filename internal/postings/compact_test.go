package postings

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A compact table leads from a key to its entries, whatever the keys are and however often it grew:
// all of them up to a bound, from there on the first half and the latest.
func TestCompactIsThatOfTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SampledFrom([]uint32{0, 1_000_000, 1<<32 - 100_000}).Draw(t, "first entry")
		table, err := NewCompact(rapid.SampledFrom([]Shape{Compacted, Spacious}).Draw(t, "shape"),
			rapid.IntRange(0, 13).Draw(t, "table"), 14, first)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := table.Release(); err != nil {
				t.Fatal(err)
			}
		}()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		oneInRepeated := rapid.IntRange(1, 8).Draw(t, "one in so many keys is of few")
		near := rapid.SampledFrom([]int{KeyBits, KeyBits - 8, 14}).Draw(t, "bits in which keys differ")
		skips := rapid.SampledFrom([]int{1, 1, 9}).Draw(t, "entries that are left out")
		few := []uint32{0, 1, 77, 1<<KeyBits - 2, 1<<KeyBits - 1}
		const most = 10
		want, count := map[uint32][]uint32{}, 0
		for entry := first; entry < first+uint32(6000*skips); entry += uint32(skips) {
			key := rng.Uint32() >> (32 - near)
			if rng.IntN(oneInRepeated) == 0 {
				key = few[rng.IntN(len(few))]
			}
			forgotten, has, err := table.Insert(key, entry, most)
			if err != nil {
				t.Fatal(err)
			}
			list := want[key]
			if has != (len(list) == most) {
				t.Fatalf("key %d with %d entries: forgotten is %v", key, len(list), has)
			}
			if has {
				i := slices.Index(list, forgotten)
				if i < most/2-mostOfKey { // of those beside the cells the earlier ones stay
					t.Fatalf("key %d forgets %d, number %d of %v", key, forgotten, i, list)
				}
				list = slices.Delete(list, i, i+1)
				count--
			}
			want[key] = append(list, entry)
			count++
		}
		var words []uint64
		table.Each(func(run []uint64) { words = append(words, run...) })
		if len(words) != count || table.Len() != count || !slices.IsSortedFunc(words, func(a, b uint64) int {
			return int(a>>32) - int(b>>32)
		}) {
			t.Fatalf("%d words, and %d are said, for %d", len(words), table.Len(), count)
		}
		all := map[uint32][]uint32{}
		for _, word := range words {
			all[uint32(word>>32)] = append(all[uint32(word>>32)], EntryOf(word))
		}
		for key, entries := range want {
			got, each := table.Append(nil, key), all[key]
			slices.Sort(got)
			slices.Sort(each)
			if !slices.Equal(got, entries) || !slices.Equal(each, entries) {
				t.Fatalf("key %d: %v, each %v, want %v", key, got, each, entries)
			}
		}
	})
}

// A posting takes the bytes of its shape, and no entry is lost while a table grows.
func TestLargeCompactKeepsAll(t *testing.T) {
	for name, shape := range map[string]Shape{"compacted": Compacted, "spacious": Spacious} {
		t.Run(name, func(t *testing.T) { testLargeCompact(t, shape) })
	}
}

func testLargeCompact(t *testing.T, shape Shape) {
	table, err := NewCompact(shape, 0, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	const count = 1_000_000
	rng := rand.New(rand.NewPCG(1, 9))
	for entry := range uint32(count) {
		if _, _, err := table.Insert(rng.Uint32()>>2, entry, 8); err != nil {
			t.Fatal(err)
		}
		if entry > 400_000 && entry%1000 == 0 {
			if got, most := float64(table.Bytes())/float64(entry), shape.CompactBytes(); got > most {
				t.Fatalf("%d postings take %.2f bytes each, more than %.2f; %d beside", entry, got, most,
					table.others.Len())
			}
		}
	}
	t.Logf("%.2f bytes each, %d beside", float64(table.Bytes())/count, table.others.Len())
	rng = rand.New(rand.NewPCG(1, 9))
	for entry := range uint32(count) {
		if key := rng.Uint32() >> 2; !slices.Contains(table.Append(nil, key), entry) {
			t.Fatalf("entry %d is not found", entry)
		}
	}
}
