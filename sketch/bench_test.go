package sketch

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"
)

// overTexts runs f on one text after the other.
func overTexts(b *testing.B, texts [][]byte, f func(text []byte)) {
	size := 0
	for _, t := range texts {
		size += len(t)
		f(t)
	}
	b.SetBytes(int64(size / len(texts)))
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		f(texts[i%len(texts)])
	}
}

var corpora = []struct {
	name   string
	sample func(n, size int) [][]byte
}{{"english", sampleTexts}, {"mixed", sampleMixed}}

func BenchmarkNormalize(b *testing.B) {
	for _, c := range corpora {
		texts := benchTexts(b, c.sample)
		var buf []byte
		b.Run(c.name+"/definition", func(b *testing.B) {
			overTexts(b, texts, func(text []byte) { buf = definedNFKCFold(text) })
		})
		for _, name := range NormalizerNames() {
			n, _ := NewNormalizer(name)
			b.Run(c.name+"/"+name, func(b *testing.B) {
				overTexts(b, texts, func(text []byte) { buf = n.Append(buf[:0], text) })
			})
		}
	}
}

func BenchmarkTokenize(b *testing.B) {
	for _, c := range corpora {
		texts := benchTexts(b, c.sample)
		n := newNFKCFold()
		for i := range texts {
			texts[i] = n.Append(nil, texts[i])
		}
		for _, name := range builtIn() {
			z, _ := NewTokenizer(name)
			var tokens Tokens
			b.Run(c.name+"/"+name, func(b *testing.B) {
				overTexts(b, texts, func(text []byte) {
					tokens.Reset()
					z.Append(&tokens, text)
				})
			})
		}
	}
}

// BenchmarkShingles is the way from a text to its shingle hashes.
func BenchmarkShingles(b *testing.B) {
	for _, c := range corpora {
		texts := benchTexts(b, c.sample)
		for _, name := range builtIn() {
			p := defaults
			p.Tokenize = name
			s := mustNew(b, p)
			var hashes []uint64
			b.Run(c.name+"/"+name, func(b *testing.B) {
				overTexts(b, texts, func(text []byte) { hashes = s.Shingles(hashes[:0], text) })
			})
		}
	}
}

func BenchmarkSketch(b *testing.B) {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 14, 30, 100, 300, 3000} {
		for _, k := range []int{128, 256} {
			for _, name := range []string{"affine", "fss"} {
				sk := sketches[name](k, 1).(hashSketch)
				rng := splitMix(1)
				sets := make([][]uint64, 1000)
				for i := range sets {
					for range n {
						sets[i] = append(sets[i], rng.next())
					}
				}
				slots, blank := make([]uint64, k), slices.Repeat([]uint64{untouched}, k)
				b.Run(fmt.Sprintf("n=%d/k=%d/%s", n, k, name), func(b *testing.B) {
					b.SetBytes(int64(8 * n))
					b.ReportAllocs()
					for i := 0; i < b.N; i++ {
						copy(slots, blank)
						sk.addHashes(slots, sets[i%len(sets)])
					}
				})
			}
		}
	}
}

// BenchmarkBandKeys is the whole way.
func BenchmarkBandKeys(b *testing.B) {
	for _, c := range corpora {
		texts := benchTexts(b, c.sample)
		s := mustNew(b, defaults)
		var keys []xxh3.Uint128
		b.Run(c.name, func(b *testing.B) {
			overTexts(b, texts, func(text []byte) { keys, _ = s.BandKeys(keys[:0], text) })
		})
	}
}

func BenchmarkAppendPacked(b *testing.B) {
	slots := make([]uint64, 256)
	for i := range slots {
		slots[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	var packed []uint64
	for b.Loop() {
		packed = AppendPacked(packed[:0], slots, 2)
	}
}
