package main

import (
	"math/rand/v2"
	"testing"
)

// The filter holds what was added, and of what was not only as many as the remainders let through.
func TestQuotientFilter(t *testing.T) {
	for _, percent := range []int{50, 75, 90} {
		const keys = 200_000
		rng := rand.New(rand.NewPCG(1, uint64(percent)))
		f := newQuotientFilter(keys, percent)
		added := make([]uint64, keys)
		for i := range added {
			added[i] = rng.Uint64()
			if f.add(added[i]) {
				t.Fatalf("key %d was there", i)
			}
			for range 3 { // one of those before
				if old := added[rng.IntN(i+1)]; !f.has(old) || !f.add(old) {
					t.Fatalf("at key %d: one before it is lost", i)
				}
			}
		}
		for i, key := range added {
			if !f.has(key) {
				t.Fatalf("key %d is lost", i)
			}
		}
		for range 1_000_000 { // at 1e-9 each
			if f.has(rng.Uint64()) {
				t.Fatal("an unseen key was taken for a seen one")
			}
		}
	}
}
