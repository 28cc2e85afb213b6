package signatures

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// little is an index that seals again and again.
func little(t *testing.T, p Params) Params {
	p.MaxMemory, p.SpillDir = costs(p).leastMemory(), t.TempDir()
	return p
}

// What was sealed is found as if it were in memory: copies, near duplicates with their similarity
// and votes, and of equal ones the earliest.
func TestSealedIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the race detector has nothing to see in one goroutine; make test runs it")
	}
	p := Params{NumPerm: 32, Bands: 8, Rows: 4, Votes: 1, Threshold: .6}
	limited := little(t, p)
	x, plain := newIndex(t, limited), newIndex(t, p)
	defer x.Close()
	defer plain.Close()
	const records = 6 * rowsPerChunk
	rng := rand.New(rand.NewPCG(1, 9))
	slots := make([]uint64, p.NumPerm)
	var earlier [][]uint64
	var words []uint64
	matches, want := make([]memory.Match, 1), make([]memory.Match, 1)
	duplicates, copies := 0, 0
	for i := range records {
		for j := range slots {
			slots[j] = rng.Uint64()
		}
		if i%5 == 4 { // like one of all before, or the same
			copy(slots, earlier[rng.IntN(len(earlier))])
			for range rng.IntN(16) {
				slots[rng.IntN(len(slots))] = rng.Uint64()
			}
		}
		if i%3 == 0 {
			earlier = append(earlier, slices.Clone(slots))
		}
		words = append(words[:0], sketchOf(p, slots)...)
		if _, err := x.Observe(words, matches); err != nil {
			t.Fatal(err)
		}
		if _, err := plain.Observe(words, want); err != nil {
			t.Fatal(err)
		}
		if matches[0] != want[0] {
			t.Fatalf("record %d: %v, not %v", i, matches[0], want[0])
		}
		if want[0].Record != 0 {
			duplicates++
		}
		if want[0].Similarity == 1 {
			copies++
		}
	}
	if duplicates < records/20 || copies < records/200 {
		t.Errorf("%d duplicates, %d of them copies, are too few to tell", duplicates, copies)
	}
	s := x.Stats()
	if len(x.parts) < 4 || s.Sealed < 4*rowsPerChunk || s.FileBytes == 0 || s.Bytes > limited.MaxMemory {
		t.Errorf("%d parts, %+v, at most %d bytes", len(x.parts), s, limited.MaxMemory)
	}
	near, err := x.Near(nil, words, 3)
	wantNear, _ := plain.Near(nil, words, 3)
	if err != nil || !slices.Equal(near, wantNear) {
		t.Errorf("near: %v, %v, not %v", near, err, wantNear)
	}
	if names, _ := filepath.Glob(filepath.Join(limited.SpillDir, "*")); len(names) != 0 {
		t.Errorf("files with names: %v", names)
	}
}

// A log is read again with the same memory.
func TestSealedLog(t *testing.T) {
	p := Params{NumPerm: 8, Bands: 2, Rows: 4, Votes: 1}
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	x, err := memory.Load(New, little(t, p), file, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	const records = 3 * rowsPerChunk
	words := make([]uint64, records*p.SketchWords())
	rng := rand.New(rand.NewPCG(1, 10))
	for i := range words {
		words[i] = rng.Uint64()
	}
	matches := make([]memory.Match, records)
	if _, err := x.Observe(words, matches); err != nil {
		t.Fatal(err)
	}
	length, err := x.Flush()
	if err := errors.Join(err, x.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := memory.Load(New, little(t, p), file, length, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if s := again.Stats(); s.Sealed < rowsPerChunk || s.Entries != records {
		t.Errorf("%+v", s)
	}
	if _, err := again.Observe(words, matches); err != nil {
		t.Fatal(err)
	}
	for i, m := range matches {
		if m.Record != uint64(i+1) {
			t.Fatalf("record %d: %v", i, m)
		}
	}
}

// What cannot be written, or would not fit, is an error.
func TestSealedFails(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the race detector has nothing to see in one goroutine; make test runs it")
	}
	p := little(t, ordinary)
	if _, err := New(Params{NumPerm: 128, Bands: 14, Rows: 9, Votes: 1, MaxMemory: 1 << 20}); err == nil {
		t.Error("a megabyte is enough")
	}
	observe := func(p Params) (observed int, err error) {
		x := newIndex(t, p)
		defer x.Close()
		words := make([]uint64, p.SketchWords())
		stream := wordStream{rand.NewPCG(1, 11)}
		for ; observed < 100*rowsPerChunk && err == nil; observed++ {
			stream.fill(words)
			_, err = x.Observe(words, make([]memory.Match, 1))
		}
		return observed, err
	}
	p.SpillDir = filepath.Join(p.SpillDir, "missing")
	if n, err := observe(p); !errors.Is(err, os.ErrNotExist) || n != rowsPerChunk {
		t.Errorf("%d records into no directory: %v", n, err)
	}
	p = little(t, ordinary)
	if n, err := observe(p); !errors.Is(err, memory.ErrMemory) || n < 5*rowsPerChunk {
		t.Errorf("%d records into %d bytes: %v", n, p.MaxMemory, err)
	}
}
