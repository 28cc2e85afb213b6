package spill

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// The filter errs about once in a hundred times, and never the other way.
func TestFilter(t *testing.T) {
	const marks = 100_000
	f, err := NewFilter(marks)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rng := rand.New(rand.NewPCG(1, 12))
	added := make([]uint64, marks)
	for i := range added {
		added[i] = rng.Uint64()
		f.Add(added[i])
	}
	for _, mark := range added {
		if !f.Has(mark) {
			t.Fatalf("%x is not found", mark)
		}
	}
	wrong := 0
	for range 1_000_000 {
		if f.Has(rng.Uint64()) {
			wrong++
		}
	}
	if wrong > 15_000 {
		t.Errorf("%d of 1,000,000 others are found", wrong)
	}
	t.Logf("%d of 1,000,000 others are found", wrong)
}

// What is written is what is taken, and a table of it has the words of each key, wherever pages of
// it begin. Nothing is left in the directory.
func TestTablesOfFiles(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var tables [3][]uint64
		w, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tables {
			keys := []uint64{0, math.MaxUint32, rng.Uint64() >> 32}
			for n := rapid.SampledFrom([]int{0, 1, 5, wordsOfPage, 3000}).Draw(t, "words"); n > 0; n-- {
				key := rng.Uint64() >> 32
				if rng.IntN(3) == 0 {
					key = keys[rng.IntN(len(keys))]
				}
				tables[i] = append(tables[i], key<<32|uint64(n))
			}
			slices.Sort(tables[i])
			half := len(tables[i]) / 2
			w.Write(tables[i][:half])
			w.Write(tables[i][half:])
		}
		f, err := w.Map()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, want := range tables {
			table := NewTable(f.Next(len(want)))
			keys := []uint32{0, 1, math.MaxUint32, math.MaxUint32 - 1, rng.Uint32()}
			for _, word := range want {
				keys = append(keys, keyOf(word))
			}
			for _, key := range keys {
				of := slices.DeleteFunc(slices.Clone(want), func(word uint64) bool { return keyOf(word) != key })
				if got := table.Of(key); !slices.Equal(got, of) {
					t.Fatalf("key %d of %d words: %x, want %x", key, len(want), got, of)
				}
			}
		}
	})
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) > 0 {
		t.Errorf("%v is left, %v", names, err)
	}
}

func TestNoDirectory(t *testing.T) {
	if _, err := Create(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
