package samples

import (
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// BenchmarkObserve is a record of 21 hashes that no other has, and 62 more of a finer sample, as 2
// KB of English are, among up to 200,000.
func BenchmarkObserve(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const hashes, uppers = 21, 62
	p := Params{Scale: 16, Threshold: .8, Beside: fracminhash.Finer}
	words := make([]uint64, 1+hashes+uppers/2)
	words[0] = 4<<57 | uppers<<28 | hashes
	for i := range uppers {
		words[1+hashes+i/2] |= uint64(1<<28+i*(3<<28/uppers)) << (i % 2 * 32)
	}
	matches := make([]memory.Match, 1)
	x := mustNew(b, p)
	for n := 0; b.Loop(); n++ {
		if n == 200_000 {
			n = 0
			if err := x.Close(); err != nil {
				b.Fatal(err)
			}
			x = mustNew(b, p)
		}
		for i := range hashes {
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
