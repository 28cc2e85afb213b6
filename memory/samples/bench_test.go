package samples

import (
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/memory"
)

// BenchmarkObserve is a record of 21 hashes that no other has, as 2 KB of English are, among up to
// 200,000.
func BenchmarkObserve(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []uint64{4<<57 | 21}
	for range 21 {
		words = append(words, 0)
	}
	matches := make([]memory.Match, 1)
	x := mustNew(b, Params{Scale: 16, Threshold: .8})
	for n := 0; b.Loop(); n++ {
		if n == 200_000 {
			n = 0
			if err := x.Close(); err != nil {
				b.Fatal(err)
			}
			x = mustNew(b, Params{Scale: 16, Threshold: .8})
		}
		for i := range words[1:] {
			words[1+i] = rng.Uint64() >> 4
		}
		if _, err := x.Observe(words, matches); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
}
