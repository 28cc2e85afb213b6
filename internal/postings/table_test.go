package postings

import (
	"math/rand/v2"
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
				if _, err := table.Insert(key, entry, 64); err != nil {
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
