package samples

import (
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// benchmarked are the parameters of the benchmarks, and usualWords a sketch of 21 hashes that no
// other has, and 62 more of a finer sample, as 2 KB of English are.
var benchmarked = Params{Scale: 16, Threshold: .8, Beside: fracminhash.Finer}

const benchmarkedHashes = 21

func usualWords() []uint64 {
	const uppers = 62
	words := make([]uint64, 1+benchmarkedHashes+uppers/2)
	words[0] = 4<<57 | uppers<<28 | benchmarkedHashes
	for i := range uppers {
		words[1+benchmarkedHashes+i/2] |= uint64(1<<28+i*(3<<28/uppers)) << (i % 2 * 32)
	}
	return words
}

// BenchmarkObserve is such a record among up to 200,000.
func BenchmarkObserve(b *testing.B) {
	rng, words := rand.New(rand.NewPCG(1, 2)), usualWords()
	matches := make([]memory.Match, 1)
	x := mustNew(b, benchmarked)
	for n := 0; b.Loop(); n++ {
		if n == 200_000 {
			n = 0
			if err := x.Close(); err != nil {
				b.Fatal(err)
			}
			x = mustNew(b, benchmarked)
		}
		for i := range benchmarkedHashes {
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

// BenchmarkSealed is a million such records, and in the second case half of their hashes are of
// earlier ones: in an index that may have a third of the memory that it would take, beside one that
// may have all, and alone, as in a control group that leaves little memory to the system's cache.
func BenchmarkSealed(b *testing.B) {
	const records = 1_000_000
	limited := benchmarked
	limited.MaxMemory, limited.SpillDir = benchmarked.PeakBytes(records)/3, b.TempDir()
	for _, share := range []struct {
		name   string
		hashes int
	}{{"nothing shared", 0}, {"half shared", benchmarkedHashes / 2}} {
		b.Run(share.name, func(b *testing.B) {
			taken, plain := 0., 0.
			for b.Loop() {
				plain += observeUsual(b, benchmarked, records, share.hashes)
				taken += observeUsual(b, limited, records, share.hashes)
			}
			b.ReportMetric(taken/float64(b.N*records), "cpu-ns/record")
			b.ReportMetric(taken/plain, "x-memory")
		})
		b.Run(share.name+", alone", func(b *testing.B) {
			for b.Loop() {
				observeUsual(b, limited, records, share.hashes)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*records), "ns/record")
		})
	}
}

// observeUsual takes the processor's time for some records, in nanoseconds.
func observeUsual(b *testing.B, p Params, records, shared int) float64 {
	x := mustNew(b, p)
	defer x.Close()
	const distinct = 1 << 21 // of the hashes that are shared, so that few are common
	rng, words, matches := rand.New(rand.NewPCG(1, 2)), usualWords(), make([]memory.Match, 1)
	started := processorTime(b)
	for range records {
		for i := range benchmarkedHashes {
			if words[1+i] = rng.Uint64() >> 4; i < shared {
				words[1+i] = rand.NewPCG(7, words[1+i]%distinct).Uint64() >> 4
			}
		}
		if _, err := x.Observe(words, matches); err != nil {
			b.Fatal(err)
		}
	}
	taken := processorTime(b) - started
	s := x.Stats()
	b.ReportMetric(float64(s.Bytes)/float64(records), "B/record")
	b.ReportMetric(float64(len(x.parts)), "parts")
	return taken
}

func processorTime(b *testing.B) float64 {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(time.Duration(used.Utime.Nano() + used.Stime.Nano()))
}
