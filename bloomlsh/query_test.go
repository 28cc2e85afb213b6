package bloomlsh

import (
	"math/rand/v2"
	"testing"
)

// TestQueryOfOneBand checks that an index of one band answers for many records at once as it does
// for each of them, with any filter and in all of its generations.
func TestQueryOfOneBand(t *testing.T) {
	for _, filter := range []string{FilterPaged, FilterClassic} {
		for _, capacity := range []uint64{10, 100000} {
			x, err := New(Params{Bands: 1, Capacity: capacity, FPRate: 1e-12, Filter: filter})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(3, 4))
			keys := make([]Key, 600)
			for i := range keys {
				keys[i] = Key{Hi: rng.Uint64(), Lo: rng.Uint64()}
			}
			if _, err := x.Observe(keys[:300], make([]uint16, 300)); err != nil {
				t.Fatal(err)
			}
			rng.Shuffle(len(keys)/2, func(i, j int) { keys[2*i], keys[2*j] = keys[2*j], keys[2*i] })
			votes, want := make([]uint16, len(keys)), make([]uint16, 1)
			votes[5] = 7 // earlier contents do not count
			if err := x.Query(keys, votes); err != nil {
				t.Fatal(err)
			}
			present, bands := 0, make([]bool, len(keys))
			bands[0] = true // as found by another index
			if err := x.keys.queryBands(keys, bands); err != nil {
				t.Fatal(err)
			}
			for i := range keys {
				if want[0] = uint16(x.keys.find(keys, nil, i).count()); votes[i] != want[0] {
					t.Fatalf("%s, capacity %d: key %d: %d, want %d", filter, capacity, i, votes[i], want[0])
				}
				if bands[i] != (i == 0 || votes[i] > 0) {
					t.Fatalf("%s, capacity %d: key %d: %v for %d votes", filter, capacity, i, bands[i], votes[i])
				}
				present += int(votes[i])
			}
			if present != 300 {
				t.Errorf("%s, capacity %d: %d of 300 keys are present", filter, capacity, present)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
