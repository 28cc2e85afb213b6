package recipe

import (
	"math/rand/v2"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// OfSize are the parameters of an index of bands of so many rows with the capacity that makes it
// about as large as the given number of bytes.
func OfSize(params bloomlsh.Params, rows int, bytes float64) (bloomlsh.Params, error) {
	params.Capacity = 1 << 24
	plan, err := bloomlsh.PlanIndex(params, rows)
	params.Capacity = uint64(bytes / float64(plan.Memory) * float64(params.Capacity))
	return params, err
}

// Random draws keys at random.
func Random(keys []bloomlsh.Key, from rand.Source) {
	for i := range keys {
		keys[i] = bloomlsh.Key{Hi: from.Uint64(), Lo: from.Uint64()}
	}
}

// Fill has an index, or a store, observe so many records of random keys, a thousand at a time.
func Fill(index interface {
	Observe(keys []bloomlsh.Key, votes []uint16) (int, error)
}, bands, records int, from rand.Source) error {
	const batch = 1000
	keys, votes := make([]bloomlsh.Key, batch*bands), make([]uint16, batch)
	for records > 0 {
		n := min(batch, records)
		Random(keys[:n*bands], from)
		if _, err := index.Observe(keys[:n*bands], votes[:n]); err != nil {
			return err
		}
		records -= n
	}
	return nil
}
