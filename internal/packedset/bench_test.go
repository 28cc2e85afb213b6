package packedset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkCompare is what a candidate takes whose set is similar, of 370 hashes.
func BenchmarkCompare(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	common := randomSet(rng, 330)
	a, o := slices.Concat(common, randomSet(rng, 40)), slices.Concat(common, randomSet(rng, 40))
	slices.Sort(a)
	slices.Sort(o)
	packed := Similar.Append(nil, o)[:Similar.LeadingWords(len(o))]
	a, _ = unpacked(Similar, a)
	hashes, _ := Similar.AppendHashes(nil, len(o), packed)
	b.Run("unpack", func(b *testing.B) {
		for b.Loop() {
			hashes, _ = Similar.AppendHashes(hashes[:0], len(o), packed)
		}
	})
	b.Run("common", func(b *testing.B) {
		for b.Loop() {
			Similar.Common(a, hashes)
		}
	})
	b.Run("parities", func(b *testing.B) {
		p, q := AppendParities(nil, a, 10), AppendParities(nil, hashes, 10)
		for b.Loop() {
			MostCommon(len(a), len(hashes), p, q)
		}
	})
	b.Run("append parities", func(b *testing.B) {
		var p []uint64
		for b.Loop() {
			p = AppendParities(p[:0], hashes, 10)
		}
	})
}
