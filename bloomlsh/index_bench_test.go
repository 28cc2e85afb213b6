package bloomlsh

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// keyStream draws the band keys of unrelated records: SplitMix64, as fast as memory can take them.
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

// paramsOfSize returns parameters whose one generation takes about the given memory.
func paramsOfSize(bytes uint64, bands int, rate float64, filter string) Params {
	p := Params{Bands: bands, Capacity: 1 << 20, FPRate: rate, Filter: filter, Remember: RememberAll, OnFull: OnFullRefuse}
	p.Capacity = uint64(float64(bytes) / float64(planGeneration(p, 0).bytes()) * float64(p.Capacity))
	return p
}

// BenchmarkObserve gives the time of one record of 32 bands, all of them new, in an index that is as full as it is planned to
// be at half of its bits set, and the ratio of the classic filter's time for the same in the same run. BLOOMLSH_BENCH_GB adds a
// size.
func BenchmarkObserve(b *testing.B) {
	sizes := []uint64{64 << 20, 1 << 30}
	if extra := os.Getenv("BLOOMLSH_BENCH_GB"); extra != "" {
		var gb uint64
		if _, err := fmt.Sscan(extra, &gb); err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, gb<<30)
	}
	for _, size := range sizes {
		for _, rate := range []float64{1e-5, 1e-10} {
			b.Run(fmt.Sprintf("%s/%.0e", formatBytes(size), rate), func(b *testing.B) {
				benchmarkObserve(b, size, rate)
			})
		}
	}
}

func benchmarkObserve(b *testing.B, size uint64, rate float64) {
	const bands = 32
	stream, keys := &keyStream{1}, make([]Key, bands)
	open := func(filter string) *Index {
		x, err := New(paramsOfSize(size, bands, rate, filter))
		if err != nil {
			b.Skip(err)
		}
		scramble(x)
		return x
	}
	measure := func(x *Index, n int) time.Duration {
		start := time.Now()
		for range n {
			stream.fill(keys)
			if _, err := x.Observe(keys); err != nil {
				b.Fatal(err)
			}
			x.generations[0].inserted = 0 // stay at this fill
		}
		return time.Since(start)
	}
	paged := open(FilterPaged)
	measure(paged, 1000)
	b.ReportAllocs()
	b.ResetTimer()
	took := measure(paged, b.N)
	b.StopTimer()
	paged.Close()

	classic := open(FilterClassic)
	defer classic.Close()
	n := min(b.N, 20_000)
	base := measure(classic, n)
	b.ReportMetric(float64(base.Nanoseconds())/float64(n), "classic-ns/op")
	b.ReportMetric(base.Seconds()/float64(n)/(took.Seconds()/float64(b.N)), "x-faster")
}

// scramble sets .31 of the bits, as in an index at capacity, and so also brings in all of its memory.
func scramble(x *Index) {
	stream := &keyStream{2}
	for _, g := range x.generations {
		for i := range g.words {
			a, b := stream.next(), stream.next()
			c := stream.next()
			g.words[i] = a & (b | c&stream.next()) // 1/2 · (1 - 1/2·3/4) = .3125
		}
	}
}
