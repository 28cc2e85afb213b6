package days

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/indextest"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// openDays returns an index with days of these sketches.
func openDays(t testing.TB, dir string, of [][][]uint64) (*index.Writer, []Day) {
	var all []Day
	var write []func(w *Writer) error
	for _, sketches := range of {
		all = append(all, Day{Records: uint64(len(sketches))})
		write = append(write, func(w *Writer) error {
			for _, sketch := range sketches {
				if err := w.Add(sketch); err != nil {
					return err
				}
			}
			return nil
		})
	}
	writeDays(t, dir, write...)
	return indextest.Open(t, dir), all
}

// Earlier records are handed over in their order, and each is found again, in more days than may be
// open at once.
func TestEarlierIsFoundAgain(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		sketches := rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOfN(rapid.Uint64(), 0, 5), 0, 4), 1, 2*mostFiles)
		of := sketches.Draw(r, "sketches")
		var want, have [][]uint64 // of all records; of those that have a sketch
		for _, day := range of {
			for _, sketch := range day {
				if want = append(want, sketch); len(sketch) > 0 {
					have = append(have, sketch)
				}
			}
		}
		w, all := openDays(t, t.TempDir(), of)
		defer w.Close()
		earlier := NewEarlier(w, all, Contents{})
		defer earlier.Close()
		var got [][]uint64
		err := earlier.each(func(packed []uint64) error {
			got = append(got, slices.Clone(packed))
			return nil
		})
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) || earlier.Read() != uint64(len(want)) ||
			earlier.records() != len(want) {
			r.Fatal(err, got, want, earlier.Read(), earlier.records())
		}
		for range rapid.IntRange(0, 20).Draw(r, "asked") {
			if len(have) == 0 {
				return
			}
			entry := rapid.IntRange(0, len(have)-1).Draw(r, "entry")
			got, err := earlier.at([]uint64{7}, uint32(entry))
			if err != nil || got[0] != 7 || !slices.Equal(got[1:], have[entry]) {
				r.Fatal(err, got, have[entry])
			}
			if len(earlier.files) > mostFiles {
				r.Fatal(len(earlier.files), "logs are open")
			}
		}
	})
}

// A log that has changed since it was read is an error.
func TestEarlierThatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	w, all := openDays(t, dir, [][][]uint64{{{1, 2, 3}, {4, 5, 6}}})
	defer w.Close()
	earlier := NewEarlier(w, all, Contents{})
	defer earlier.Close()
	if err := earlier.each(func([]uint64) error { return nil }); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, logName(1)))
	if err != nil {
		t.Fatal(err)
	}
	last := int(earlier.places[1])
	longer := slices.Clone(whole)
	longer[last+6] = 1
	for _, damaged := range [][]byte{whole[:last], whole[:last+3], whole[:last+8], whole[:last+25], longer} {
		if err := os.WriteFile(filepath.Join(dir, logName(1)), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := earlier.at(nil, 1); !errors.Is(err, memory.ErrCorrupt) {
			t.Errorf("%d bytes: %v", len(damaged), err)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, logName(1))), earlier.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := earlier.at(nil, 1); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
