package signatures

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// A wordStream draws the sketches of unrelated records.
type wordStream struct{ pcg *rand.PCG }

func (s wordStream) fill(words []uint64) {
	for i := range words {
		words[i] = s.pcg.Uint64()
	}
}

const benchmarkBatch = 100

// BenchmarkObserve gives the processor time of a record that resembles no other, on the way from an
// empty index to the given size, beside that of the Bloom index with its defaults in the same run.
// What it takes to draw the sketches is in both.
func BenchmarkObserve(b *testing.B) {
	for _, records := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			exact, bloom := 0., 0.
			for range b.N {
				exact += benchmarkExact(b, ordinary, records)
				bloom += benchmarkBloom(b, records)
			}
			b.ReportMetric(exact/float64(b.N*records), "cpu-ns/record")
			b.ReportMetric(bloom/float64(b.N*records), "bloom-cpu-ns/record")
			b.ReportMetric(exact/bloom, "x-bloom")
		})
	}
}

// BenchmarkSealed is the same of an index that may have a quarter of the memory that it would take,
// beside one that may have all.
func BenchmarkSealed(b *testing.B) {
	for _, records := range []int{1_000_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			plan, err := PlanIndex(ordinary, uint64(records))
			if err != nil {
				b.Fatal(err)
			}
			limited := ordinary
			limited.MaxMemory, limited.SpillDir = plan.Memory/4, b.TempDir()
			taken, plain := 0., 0.
			for range b.N {
				plain += benchmarkExact(b, ordinary, records)
				taken += benchmarkExact(b, limited, records)
			}
			b.ReportMetric(taken/float64(b.N*records), "cpu-ns/record")
			b.ReportMetric(taken/plain, "x-memory")
		})
	}
}

func benchmarkExact(b *testing.B, p Params, records int) float64 {
	x := newIndex(b, p)
	defer x.Close()
	size := ordinary.SketchWords()
	words, matches := make([]uint64, benchmarkBatch*size), make([]memory.Match, benchmarkBatch)
	stream, started := wordStream{rand.NewPCG(1, 5)}, processorTime(b)
	for range records / benchmarkBatch {
		stream.fill(words)
		if _, err := x.Observe(words, matches); err != nil {
			b.Fatal(err)
		}
	}
	taken := processorTime(b) - started
	b.ReportMetric(float64(x.Stats().Bytes)/float64(records), "B/record")
	return taken
}

func benchmarkBloom(b *testing.B, records int) float64 {
	x, err := bloomlsh.New(bloomlsh.Params{
		Bands: ordinary.Bands, Capacity: 1_000_000, FPRate: 1e-8,
		Filter: bloomlsh.FilterPaged, Remember: bloomlsh.RememberAll, OnFull: bloomlsh.OnFullGrow,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	size := ordinary.SketchWords()
	words, keys := make([]uint64, benchmarkBatch*size), make([]bloomlsh.Key, benchmarkBatch*ordinary.Bands)
	votes := make([]uint16, benchmarkBatch)
	stream, started := wordStream{rand.NewPCG(1, 5)}, processorTime(b)
	for range records / benchmarkBatch {
		stream.fill(words)
		for i := range keys {
			keys[i] = bloomlsh.Key{Hi: words[2*i], Lo: words[2*i+1]}
		}
		if _, err := x.Observe(keys, votes); err != nil {
			b.Fatal(err)
		}
	}
	return processorTime(b) - started
}

// BenchmarkGroups gives the processor time of a record that is joined to others, with 107 bytes of
// memory for each: that of ten times as many records should be the same. Every twentieth record is
// a near duplicate of an earlier one.
func BenchmarkGroups(b *testing.B) {
	for _, records := range []int{1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			p, taken := ordinary, 0.
			p.MaxMemory, p.SpillDir = 107*uint64(records), b.TempDir()
			for range b.N {
				g, err := NewGroups(p)
				if err != nil {
					b.Fatal(err)
				}
				words, earlier := make([]uint64, p.SketchWords()), make([]uint64, p.SketchWords())
				stream, started := wordStream{rand.NewPCG(1, 5)}, processorTime(b)
				for i := range records {
					if i%20 == 19 {
						copy(words, earlier)
						words[len(words)-1] ^= stream.pcg.Uint64() // eight slots of 128, in the last band
					} else {
						stream.fill(words)
					}
					if i%20_000 == 0 {
						copy(earlier, words)
					}
					if err := g.Add(words); err != nil {
						b.Fatal(err)
					}
				}
				if err := g.Find(b.Context()); err != nil {
					b.Fatal(err)
				}
				groups := 0
				for range g.All() {
					groups++
				}
				taken += processorTime(b) - started
				s := g.Stats()
				b.ReportMetric(float64(groups), "groups")
				b.ReportMetric(float64(s.Bytes)/(1<<20), "index-MiB")
				b.ReportMetric(float64(s.FileBytes)/float64(records), "file-B/record")
				g.Close()
			}
			b.ReportMetric(taken/float64(b.N*records), "cpu-ns/record")
		})
	}
}

// BenchmarkCrowd gives the time of a record of which all others have J = .5, while their number
// doubles: it may double too, as the number of those that share a band does, up to what a key
// keeps.
func BenchmarkCrowd(b *testing.B) {
	for _, records := range []int{2500, 5000, 10_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			taken := 0.
			for range b.N {
				rng := rand.New(rand.NewPCG(1, 6))
				common := random(rng, ordinary)
				x := newIndex(b, ordinary)
				var sketches []uint64
				for range records {
					slots := random(rng, ordinary)
					for i := range slots {
						// With √½ a slot is the common one: two records agree in half of their
						// slots.
						if rng.Float64() < .70711 {
							slots[i] = common[i]
						}
					}
					sketches = append(sketches, sketchOf(ordinary, slots)...)
				}
				matches, started := make([]memory.Match, records), processorTime(b)
				if _, err := x.Observe(sketches, matches); err != nil {
					b.Fatal(err)
				}
				taken += processorTime(b) - started
				x.Close()
			}
			b.ReportMetric(taken/float64(b.N*records), "cpu-ns/record")
		})
	}
}

// processorTime is what this process has used so far, in nanoseconds.
func processorTime(b *testing.B) float64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(time.Duration(usage.Utime.Nano() + usage.Stime.Nano()))
}
