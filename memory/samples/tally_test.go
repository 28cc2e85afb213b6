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
		want := map[uint32]uint32{}
		for range rng.IntN(1 << rng.IntN(13)) {
			entry := uint32(rng.IntN(1<<rng.IntN(16) + 1))
			tally.add(entry)
			want[entry]++
		}
		if len(tally.list) != len(want) {
			t.Fatalf("%d entries, want %d", len(tally.list), len(want))
		}
		for _, s := range tally.list {
			if want[s.entry] != s.count {
				t.Fatalf("entry %d: %d, want %d", s.entry, s.count, want[s.entry])
			}
		}
	}
}
