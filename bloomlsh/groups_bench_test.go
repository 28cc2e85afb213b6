package bloomlsh

import (
	"fmt"
	"testing"
)

// BenchmarkGroups measures the processor time per record with the default rule, for records with
// new keys, in a tagged index that is half full or nearly full and, in the same run, in an index of
// Bloom filters of the same capacity.
func BenchmarkGroups(b *testing.B) {
	for _, filled := range []struct {
		capacity uint64
		percent  uint64
	}{{100_000, 50}, {1_000_000, 50}, {1_000_000, 95}, {10_000_000, 50}, {10_000_000, 95}} {
		capacity := filled.capacity
		b.Run(fmt.Sprintf("%d/%d%%", capacity, filled.percent), func(b *testing.B) {
			const records = 120
			var indexes [2]*Index
			var spent [2]float64
			for i, filter := range []string{FilterTagged, FilterPaged} {
				x, err := New(Params{Bands: 32, Votes: 8, Capacity: capacity, Filter: filter})
				if err != nil {
					b.Skip(err)
				}
				defer x.Close()
				indexes[i] = x
				keys, votes := make([]Key, 1000*32), make([]uint16, 1000)
				for stream := (&keyStream{2}); x.Usage().Inserted < capacity/100*filled.percent; {
					stream.fill(keys)
					if _, err := x.Observe(keys, votes); err != nil {
						b.Fatal(err)
					}
				}
			}
			stream, keys, votes := &keyStream{1}, make([]Key, records*32), make([]uint16, records)
			for b.Loop() {
				stream.fill(keys)
				observeInTurn(b, indexes, keys, votes, &spent)
			}
			n := float64(b.N) * records
			b.ReportMetric(spent[0]/n, "cpu-ns/record")
			b.ReportMetric(spent[1]/n, "paged-cpu-ns/record")
			b.ReportMetric(spent[0]/spent[1], "x-paged")
		})
	}
}

// BenchmarkUnplanned measures the processor time per record of a whole stream of records with new
// keys: in an index that knows nothing of the stream and, in the same run, in one that is made for
// its length.
func BenchmarkUnplanned(b *testing.B) {
	for _, length := range []uint64{1_000_000, 4_000_000, 12_000_000} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			var spent [2]float64
			keys, votes := make([]Key, 1000*32), make([]uint16, 1000)
			for b.Loop() {
				var indexes [2]*Index
				for i, capacity := range []uint64{0, length} {
					x, err := New(Params{Bands: 32, Votes: 8, Capacity: capacity, Growth: GrowthDoubling})
					if err != nil {
						b.Skip(err)
					}
					indexes[i] = x
				}
				stream := &keyStream{2}
				for range length / uint64(len(votes)) {
					stream.fill(keys)
					observeInTurn(b, indexes, keys, votes, &spent)
				}
				for _, x := range indexes {
					if err := x.Close(); err != nil {
						b.Fatal(err)
					}
				}
			}
			n := float64(b.N) * float64(length)
			b.ReportMetric(spent[0]/n, "cpu-ns/record")
			b.ReportMetric(spent[1]/n, "planned-cpu-ns/record")
			b.ReportMetric(spent[0]/spent[1], "x-planned")
		})
	}
}

// observeInTurn has two indexes observe the same records, and adds the processor time of each to
// spent, in nanoseconds.
func observeInTurn(b *testing.B, indexes [2]*Index, keys []Key, votes []uint16, spent *[2]float64) {
	for i, x := range indexes {
		start := processorTime(b)
		if _, err := x.Observe(keys, votes); err != nil {
			b.Fatal(err)
		}
		spent[i] += float64(processorTime(b) - start)
	}
}
