package bloomlsh

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// keyStream generates band keys of unrelated records with SplitMix64, as fast as memory can take
// them.
type keyStream struct{ state uint64 }

func (s *keyStream) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *keyStream) fill(keys []Key) {
	for i := range keys {
		keys[i] = Key{Hi: s.next(), Lo: s.next()}
	}
}

// paramsOfSize returns parameters whose only generation takes about the given memory.
func paramsOfSize(bytes uint64, bands int, rate float64, filter string) Params {
	p := Params{Bands: bands, Capacity: 1 << 20, FPRate: rate, Filter: filter, Remember: RememberAll,
		OnFull: OnFullRefuse}
	p.Capacity = uint64(float64(bytes) / float64(planGeneration(p, 0).bytes()) * float64(p.Capacity))
	return p
}

// BenchmarkObserve measures the time for one record of 32 new keys, in an index that is as full as
// planned, and in the same run the time of bits-and-blooms for filters of the same size and rate.
// It also reports processor time, which is more meaningful on a shared machine. BLOOMLSH_BENCH_GB
// adds a size.
func BenchmarkObserve(b *testing.B) {
	for _, rate := range []float64{1e-5, 1e-10} {
		for _, size := range benchmarkSizes(b, 64<<20, 1<<30) {
			b.Run(fmt.Sprintf("%s/%.0e", units.Bytes(size), rate), func(b *testing.B) {
				b.ReportAllocs()
				paged := benchmarkFilter(b, paramsOfSize(size, 32, rate, FilterPaged), b.N)
				b.StopTimer()
				classic := benchmarkFilter(b, paramsOfSize(size, 32, rate, FilterClassic), min(b.N, 20_000))
				b.ReportMetric(paged, "cpu-ns/op")
				b.ReportMetric(classic, "classic-cpu-ns/op")
				b.ReportMetric(classic/paged, "x-faster")
			})
		}
	}
}

// benchmarkFilter returns the processor time per record in nanoseconds.
func benchmarkFilter(b *testing.B, p Params, n int) float64 {
	x, err := New(p)
	if err != nil {
		b.Skip(err)
	}
	defer x.Close()
	fillHalf(x)
	stream, keys := &keyStream{1}, make([]Key, p.Bands)
	observe := func(n int) {
		for range n {
			stream.fill(keys)
			if _, err := observeRecord(x, keys); err != nil {
				b.Fatal(err)
			}
			x.generations[0].inserted = 0 // stay at this fill
		}
	}
	observe(1000)
	b.ResetTimer()
	start := processorTime(b)
	observe(n)
	return float64(processorTime(b)-start) / float64(n)
}

func processorTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// fillHalf sets 3/8 of the bits, about as many as are set at capacity. That also touches all of the
// memory.
func fillHalf(x *Index) {
	for _, g := range x.generations {
		g.moveFirst()
		for i := range g.words {
			mixed := uint64(i) * mulGolden
			g.words[i] = mixed & (mixed>>13 | mixed<<7)
		}
	}
}

// BenchmarkObserveBatch measures the processor time per record in batches of 120, by bands and
// size, and by the number of goroutines that share the bands. Divided by that number, it is the
// time of each goroutine: the least that the index can cost if each has a core. BLOOMLSH_BENCH_GB
// adds a size.
func BenchmarkObserveBatch(b *testing.B) {
	for _, bands := range []int{14, 42} {
		for _, size := range benchmarkSizes(b, 89e6, 1<<30) {
			for _, workers := range []int{1, 2, 4, 8} {
				b.Run(fmt.Sprintf("bands=%d/%s/workers=%d", bands, units.Bytes(size), workers), func(b *testing.B) {
					benchmarkBatches(b, paramsOfSize(size, bands, 1e-8, FilterPaged), 1, workers)
				})
			}
		}
	}
}

// BenchmarkGrownIndex measures the same for an index that has grown to several generations. All but
// the last are full.
func BenchmarkGrownIndex(b *testing.B) {
	for _, generations := range []int{1, 2, 3} {
		for _, workers := range []int{1, 2, 8} {
			b.Run(fmt.Sprintf("generations=%d/workers=%d", generations, workers), func(b *testing.B) {
				p := Params{Bands: 14, Capacity: 100_000, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll,
					OnFull: OnFullGrow}
				benchmarkBatches(b, p, generations, workers)
			})
		}
	}
}

func benchmarkBatches(b *testing.B, p Params, generations, workers int) {
	x, err := New(p)
	for err == nil && len(x.generations) < generations {
		err = x.grow()
	}
	if err != nil {
		b.Skip(err)
	}
	defer x.Close()
	fillHalf(x)
	x.Parallelize(workers)
	const records = 120
	stream, keys, duplicates := &keyStream{1}, make([]Key, x.params.Bands*records), make([]bool, records)
	var spent time.Duration
	for b.Loop() {
		stream.fill(keys)
		start := processorTime(b)
		if _, err := observeRecords(x, keys, duplicates); err != nil {
			b.Fatal(err)
		}
		spent += processorTime(b) - start
		x.current().inserted = 0 // stay at this fill
	}
	perRecord := float64(spent) / float64(b.N) / records
	b.ReportMetric(perRecord, "cpu-ns/record")
	b.ReportMetric(perRecord/float64(workers), "cpu-ns/record/worker")
}

// BenchmarkShortStream measures the processor time per record in a new index of the default size
// that sees a given number of records in all, with small filters for the first ones and with large
// filters from the start.
func BenchmarkShortStream(b *testing.B) {
	const batch = 120
	p := Params{Bands: 14, Capacity: 1_000_000, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullGrow}
	stream := func(b *testing.B, records int, withTable bool) time.Duration {
		s, keys, duplicates := &keyStream{1}, make([]Key, p.Bands*batch), make([]bool, batch)
		start := processorTime(b)
		x, err := New(p)
		if err != nil {
			b.Fatal(err)
		}
		if !withTable {
			x.current().moveFirst()
		}
		for range records / batch {
			s.fill(keys)
			if _, err := observeRecords(x, keys, duplicates); err != nil {
				b.Fatal(err)
			}
		}
		x.Close()
		return processorTime(b) - start
	}
	for _, records := range []int{1200, 18_000, 30_000, 60_000, 300_000} {
		b.Run(fmt.Sprintf("%d", records), func(b *testing.B) {
			var table, filters time.Duration
			for b.Loop() {
				table += stream(b, records, true)
				filters += stream(b, records, false)
			}
			perRecord := float64(b.N * records)
			b.ReportMetric(float64(table)/perRecord, "cpu-ns/record")
			b.ReportMetric(float64(filters)/perRecord, "filters-cpu-ns/record")
			b.ReportMetric(float64(table)/float64(filters), "of-filters")
		})
	}
}

// benchmarkSizes returns sizes, with that of BLOOMLSH_BENCH_GB if it is set.
func benchmarkSizes(b *testing.B, sizes ...uint64) []uint64 {
	if extra := os.Getenv("BLOOMLSH_BENCH_GB"); extra != "" {
		var gb uint64
		if _, err := fmt.Sscan(extra, &gb); err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, gb<<30)
	}
	return sizes
}

// BenchmarkAskOlder measures how long it takes to look up a record in one older generation with the
// default rule, by the generation's capacity: its filters are in the caches, or mostly outside of
// them.
func BenchmarkAskOlder(b *testing.B) {
	for _, capacity := range []uint64{100_000, 1_000_000, 4_000_000, 16_000_000} {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			p := Params{Bands: 32, Votes: 8, Capacity: capacity, FPRate: 1e-8, Filter: FilterPaged}
			x, err := New(p)
			if err != nil {
				b.Skip(err)
			}
			defer x.Close()
			fillHalf(x)
			const records = 120
			stream, outcomes := &keyStream{1}, make([]outcome, records)
			asked := batch{keys: make([]Key, records*p.Bands), bands: p.Bands, to: p.Bands,
				older:   make([]uint64, records*setWords(p.Bands)),
				spreads: make([]keySpread, records*p.Bands), mask: maskOf(0)}
			var spent time.Duration
			for b.Loop() {
				stream.fill(asked.keys)
				spreadAll(asked.spreads, asked.keys, asked.mask)
				start := processorTime(b)
				x.current().filter.lookup(outcomes, asked)
				spent += processorTime(b) - start
			}
			b.ReportMetric(float64(spent)/float64(b.N)/records, "cpu-ns/record")
		})
	}
}
