package hashset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A hash is a repeat if it stands before, in texts of all lengths that repeat little or much.
func TestRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var r Repeats
	for range 3000 {
		hashes := make([]uint64, rng.IntN(1<<(1+rng.IntN(13))))
		kinds := uint64(1) << rng.IntN(20)
		for i := range hashes {
			hashes[i] = rng.Uint64N(kinds) * 0x9e3779b97f4a7c15
			if rng.IntN(50) == 0 {
				hashes[i] >>= rng.IntN(64) // some that have the same high bits
			}
		}
		seen, want, repeats := map[uint64]bool{}, make([]bool, len(hashes)), 0
		for i, h := range hashes {
			if want[i] = seen[h]; want[i] {
				repeats++
			}
			seen[h] = true
		}
		got := make([]bool, len(hashes))
		if n := r.Find(got, hashes); n != repeats || !slices.Equal(got, want) {
			t.Fatalf("%d of %d hashes are repeats, want %d", n, len(hashes), repeats)
		}
	}
}
