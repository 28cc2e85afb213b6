package samples

import (
	"math/rand/v2"
	"testing"
)

// A tally counts what a map counts, from record to record.
func TestTallyCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var tally tally
	for range 50 {
		tally.reset()
		counts, weights := map[uint32]uint32{}, map[uint32]uint32{}
		for range rng.IntN(1 << rng.IntN(13)) {
			entry := uint32(rng.IntN(1<<rng.IntN(16) + 1))
			weight := rng.Uint32N(60)
			tally.add(entry, weight)
			counts[entry]++
			weights[entry] += weight
		}
		if len(tally.list) != len(counts) {
			t.Fatalf("%d entries, want %d", len(tally.list), len(counts))
		}
		for _, s := range tally.list {
			if counts[s.entry] != s.count || weights[s.entry] != s.weight {
				t.Fatalf("entry %d: %d, %d, want %d, %d", s.entry, s.count, s.weight, counts[s.entry], weights[s.entry])
			}
		}
	}
}
