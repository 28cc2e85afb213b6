package bloomlsh

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestObserveBatchIsObserve holds any number of goroutines and any cut into batches against one record at a time, across the growth of
// the index.
func TestObserveBatchIsObserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{Bands: rapid.IntRange(1, 9).Draw(t, "bands"), Capacity: uint64(rapid.IntRange(1, 60).Draw(t, "capacity")), FPRate: 1e-6,
			Filter:   rapid.SampledFrom([]string{FilterPaged, FilterClassic}).Draw(t, "filter"),
			Remember: rapid.SampledFrom([]string{RememberAll, RememberUnseen}).Draw(t, "remember"),
			OnFull:   rapid.SampledFrom([]string{OnFullGrow, OnFullRefuse}).Draw(t, "on full")}
		one, many := mustIndex(t, p), mustIndex(t, p)
		many.Parallelize(rapid.IntRange(0, 12).Draw(t, "workers"))
		records := rapid.SliceOfN(rapid.SliceOfN(rapid.Uint64Range(0, 40), p.Bands, p.Bands), 0, 120).Draw(t, "records")
		for len(records) > 0 {
			n := rapid.IntRange(1, len(records)).Draw(t, "batch")
			var keys []Key
			for _, r := range records[:n] {
				for _, k := range r {
					keys = append(keys, Key{Hi: k, Lo: 7})
				}
			}
			records = records[n:]
			got, changed := make([]bool, n), []Key(nil)
			observed, err := many.observeBatch(keys, got, func(own []Key) error { changed = append(changed, own...); return nil })
			for i := range n {
				own := keys[i*p.Bands:][:p.Bands]
				duplicate, isNew, wantErr := one.observe(own)
				if wantErr != nil {
					if err == nil || observed != i || err.Error() != wantErr.Error() {
						t.Fatalf("record %d: %v after %d, want %v", i, err, observed, wantErr)
					}
					return
				}
				if duplicate != got[i] {
					t.Fatalf("record %d is a duplicate: %t, want %t", i, got[i], duplicate)
				}
				if isNew {
					if len(changed) < p.Bands || !slices.Equal(changed[:p.Bands], own) {
						t.Fatalf("record %d has changed the index, and nobody was told", i)
					}
					changed = changed[p.Bands:]
				}
			}
			if err != nil || observed != n || len(changed) > 0 || many.Usage() != one.Usage() {
				t.Fatalf("%d of %d, %v, %d changes too many, %+v, want %+v", observed, n, err, len(changed)/p.Bands, many.Usage(), one.Usage())
			}
		}
		for i, g := range one.generations {
			if !slices.Equal(g.words, many.generations[i].words) {
				t.Fatalf("generation %d has other bits", i)
			}
		}
	})
}

func TestObserveBatchDoesNotAllocate(t *testing.T) {
	if underRaceDetector {
		t.Skip("the race detector allocates")
	}
	p := Params{Bands: 14, Capacity: 1 << 20, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}
	x := mustIndex(t, p)
	x.Parallelize(4)
	keys, duplicates, next := make([]Key, 14*100), make([]bool, 100), uint64(0)
	if n := testing.AllocsPerRun(50, func() {
		for i := range keys {
			next++
			keys[i] = Key{Hi: next * mulGolden, Lo: next}
		}
		x.ObserveBatch(keys, duplicates)
	}); n > 0 {
		t.Errorf("%g allocations a batch", n)
	}
}

// mustIndex returns an index that is closed when the test ends.
func mustIndex(t interface {
	Fatal(...any)
	Cleanup(func())
}, p Params) *Index {
	x, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}
