package vectors

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
)

var logParams = Params{Dims: testDims, Threshold: .9}

func load(t *testing.T, path string, length int64) (*Index, []string, error) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	var notes []string
	x, err := memory.Load(New, logParams, file, length, func(note []byte) error {
		notes = append(notes, string(note))
		return nil
	})
	return x, notes, err
}

// TestLoadedIndexGoesOn observes rows in several lives of an index, with a crash in the middle, and
// all at once.
func TestLoadedIndexGoesOn(t *testing.T) {
	words, size := newDrawer(11, 10).rows(3000), rows.Words(testDims)
	whole := newIndex(t, logParams)
	want := observe(t, whole, words)
	path, length := filepath.Join(t.TempDir(), "log"), int64(0)
	var got []memory.Match
	for life, cut := range []int{0, 700, 701, 2600, 3000} {
		x, notes, err := load(t, path, length)
		if err != nil {
			t.Fatal(err)
		}
		if len(notes) != max(0, life) || life > 0 && notes[life-1] != fmt.Sprint("life ", life-1) {
			t.Errorf("in life %d the notes are %v", life, notes)
		}
		got = append(got, observe(t, x, words[len(got)*size:cut*size])...)
		if err := x.Note(fmt.Append(nil, "life ", life)); err != nil {
			t.Fatal(err)
		}
		if length, err = x.Flush(); err != nil {
			t.Fatal(err)
		}
		if life == 4 && x.Stats() != whole.Stats() {
			stats, want := x.Stats(), whole.Stats()
			if stats.Bytes, want.Bytes = 0, 0; stats != want {
				t.Errorf("%+v, want %+v", stats, want)
			}
		}
		lost := min(cut+50, 3000) // observed by a life that ends without a commit
		observe(t, x, words[cut*size:lost*size])
		if life == 1 {
			x.Flush()
		}
	}
	if !slices.Equal(got, want) {
		t.Error("an index that was loaded finds other matches")
	}
}

// FuzzEntries reads entries that may say anything.
func FuzzEntries(f *testing.F) {
	f.Add([]byte{}, 1)
	f.Add(make([]byte, 3*(entryHead+32)), 5)
	entry := append(make([]byte, entryHead), slices.Repeat([]byte{0x80}, 32)...)
	entry[0] = 1
	f.Add(entry, 32)
	f.Fuzz(func(t *testing.T, payload []byte, dims int) {
		x, err := New(Params{Dims: dims, Threshold: .5})
		if err != nil || dims > 64 {
			return
		}
		for len(payload) > 0 && err == nil {
			var record uint64
			if record, payload, err = (kind{x}).Decode(payload, 0); err == nil {
				err = kind{x}.Restore(record)
			}
		}
		if err != nil && !errors.Is(err, memory.ErrCorrupt) {
			t.Error(err)
		}
		for i := range x.lists {
			if l := &x.lists[i]; len(l.rows) != l.len()*x.bytes || len(l.squares) != l.len() {
				t.Error("a list is not whole")
			}
		}
	})
}

// A loaded is an index with its log, in a new file.
type loaded struct {
	x    *Index
	file *os.File
}

func newLoaded(t *testing.T, p Params) loaded {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	x, err := memory.Load(New, p, file, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return loaded{x, file}
}
