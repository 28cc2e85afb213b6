package bloomlsh

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/index"
)

// TestBatchesAreRecords compares any number of goroutines and any division into batches with
// observing one record at a time and with the model, while the index grows.
func TestBatchesAreRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.Bands = rapid.IntRange(1, 9).Draw(t, "bands")
		p.Capacity = uint64(rapid.SampledFrom([]int{1, 7, 30, 1000}).Draw(t, "capacity"))
		p.Votes = rapid.IntRange(1, p.Bands).Draw(t, "votes")
		p.FPRate = rapid.SampledFrom([]float64{1e-6, 1e-9, 1e-13}).Draw(t, "rate") // 1 to 4 partitions
		rare := p.FPRate <= 1e-9 && p.Votes == 1
		one, many, exact := mustIndex(t, p), mustIndex(t, p), newModel(p)
		records := rapid.SliceOfN(rapid.SliceOfN(rapid.Uint64Range(0, 40), p.Bands, p.Bands), 0, 120).Draw(t, "records")
		parallelizeAt := rapid.IntRange(0, 120).Draw(t, "records before the goroutines")
		for parallel := false; len(records) > 0; {
			if !parallel && len(records) <= 120-parallelizeAt {
				many.Parallelize(rapid.IntRange(0, 12).Draw(t, "workers"))
				parallel = true
			}
			n := rapid.IntRange(0, len(records)).Draw(t, "batch")
			var keys []Key
			for _, r := range records[:n] {
				for _, k := range r {
					keys = append(keys, Key{Hi: k, Lo: 7})
				}
			}
			records = records[max(n, 1):]
			got, changed := make([]uint16, n), []Key(nil)
			note := func(own []Key) error { changed = append(changed, own...); return nil }
			observed, err := many.judge.observe(keysOnly(keys), got, note)
			for i := range n {
				own := keys[i*p.Bands:][:p.Bands]
				votes, isNew, wantErr := one.keys.observeOne(own, nil)
				if wantErr != nil {
					if err == nil || observed != i || err.Error() != wantErr.Error() {
						t.Fatalf("record %d: %v after %d, want %v", i, err, observed, wantErr)
					}
					return
				}
				if want, _ := exact.observe(own); votes != got[i] || rare && want != int(got[i]) {
					t.Fatalf("record %d has %d votes, want %d, by the model %d", i, got[i], votes, want)
				}
				if isNew {
					if len(changed) < p.Bands || !slices.Equal(changed[:p.Bands], own) {
						t.Fatalf("record %d has changed the index, and nobody was told", i)
					}
					changed = changed[p.Bands:]
				}
			}
			if err != nil || observed != n || len(changed) > 0 || many.Usage() != one.Usage() {
				t.Fatalf("%d of %d, %v, %d changes too many, %+v, want %+v", observed, n, err, len(changed)/p.Bands,
					many.Usage(), one.Usage())
			}
		}
		for i, g := range one.generations {
			if !slices.Equal(bitsOf(g), bitsOf(many.generations[i])) {
				t.Fatalf("generation %d has other bits", i)
			}
		}
	})
}

// TestCrewFollowsGrowth checks that the goroutines that share batches still work after the index
// has grown.
func TestCrewFollowsGrowth(t *testing.T) {
	p := Params{Bands: 14, Capacity: 1000, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}
	x := mustIndex(t, p)
	x.Parallelize(3)
	observe := func(records int) {
		stream, keys := &keyStream{x.observed}, make([]Key, 20*p.Bands)
		for range records / 20 {
			stream.fill(keys)
			if _, err := observeRecords(x, keys, make([]bool, 20)); err != nil {
				t.Fatal(err)
			}
		}
	}
	observe(500)
	first := x.crew
	observe(1500)
	if len(x.generations) != 2 || first == nil || x.crew == first || x.crew.generations != 2 {
		t.Fatalf("%d generations, a crew of %+v after one of %+v", len(x.generations), x.crew, first)
	}
	for i, m := range first.members {
		select {
		case _, open := <-m.start:
			if open {
				t.Errorf("goroutine %d still has work", i)
			}
		default:
			t.Errorf("goroutine %d still waits for work", i)
		}
	}
}

// TestStoreObserveBatchWritesTheSameFiles checks that an index on disk that was filled in batches
// has the same files as one filled record by record, while the index grows.
func TestStoreObserveBatchWritesTheSameFiles(t *testing.T) {
	p := Params{Bands: 14, Capacity: 300, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}
	var stores [2]string
	for i := range stores {
		stores[i] = filepath.Join(t.TempDir(), "idx")
		s, err := Open(stores[i], p, nil)
		if err != nil {
			t.Fatal(err)
		}
		stream, keys, duplicates := &keyStream{11}, make([]Key, 50*p.Bands), make([]bool, 50)
		for range 20 {
			for j := range keys {
				keys[j] = Key{Hi: stream.next() >> 50}
			}
			if i == 0 {
				if _, err := observeRecords(s, keys, duplicates); err != nil {
					t.Fatal(err)
				}
				continue
			}
			for own := range slices.Chunk(keys, p.Bands) {
				if _, err := observeRecord(s, own); err != nil {
					t.Fatal(err)
				}
			}
		}
		err = errors.Join(s.Commit(Position{Records: 1000}), s.Close(), Compact(stores[i], index.Undo{}))
		if err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(stores[0], "*"))
	if err != nil || len(names) < 4 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		got, err1 := os.ReadFile(name)
		want, err2 := os.ReadFile(filepath.Join(stores[1], filepath.Base(name)))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", filepath.Base(name), err)
		}
	}
}

// TestPagedStaysInItsWords checks that a filter never accesses memory outside its words, whatever
// its arithmetic yields: the assembly does no bounds checks.
func TestPagedStaysInItsWords(t *testing.T) {
	g := planGeneration(Params{Bands: 3, Capacity: 100, FPRate: 1e-9, Filter: FilterPaged, OnFull: OnFullRefuse}, 0)
	words := make([]uint64, g.words())
	f := newPaged(g, words[:g.words()-1])
	f.pages = 1 << 40
	defer func() {
		if recover() == nil || slices.ContainsFunc(words, func(w uint64) bool { return w != 0 }) {
			t.Error("no panic, or bits were set before it")
		}
	}()
	keys := make([]Key, 3)
	(&keyStream{1}).fill(keys)
	f.add(keys)
}

func TestBatchesDoNotAllocate(t *testing.T) {
	if underRaceDetector {
		t.Skip("the race detector allocates")
	}
	for _, workers := range []int{1, 4} {
		for _, generations := range []int{1, 2} {
			testBatchesDoNotAllocate(t, workers, generations, false)
			testBatchesDoNotAllocate(t, workers, generations, true)
		}
	}
}

func testBatchesDoNotAllocate(t *testing.T, workers, generations int, withTable bool) {
	p := Params{Bands: 14, Capacity: 1 << 20, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullGrow}
	x := mustIndex(t, p)
	for len(x.generations) < generations {
		x.current().moveFirst()
		if err := x.grow(); err != nil {
			t.Fatal(err)
		}
	}
	if !withTable {
		x.current().moveFirst()
	}
	x.Parallelize(workers)
	keys, votes, next := make([]Key, 14*100), make([]uint16, 100), uint64(0)
	if n := testing.AllocsPerRun(50, func() {
		for i := range keys {
			next++
			keys[i] = Key{Hi: next * mulGolden, Lo: next}
		}
		x.Observe(keys, votes)
	}); n > 0 {
		t.Errorf("%d goroutines, %d generations, table %t: %g allocations a batch", workers, generations, withTable, n)
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

// keysOnly returns records with keys and nothing else.
func keysOnly(keys []Key) records { return records{keys: keys} }
