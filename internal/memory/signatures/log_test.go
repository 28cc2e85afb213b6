package signatures

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// A memFile is a file of which a crash leaves any part of what was not flushed.
type memFile struct {
	bytes []byte
	fail  error // of the next write
}

func (m *memFile) ReadAt(p []byte, at int64) (int, error) {
	if at >= int64(len(m.bytes)) {
		return 0, io.EOF
	}
	n := copy(p, m.bytes[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memFile) WriteAt(p []byte, at int64) (int, error) {
	if m.fail != nil {
		return 0, m.fail
	}
	if missing := int(at) + len(p) - len(m.bytes); missing > 0 {
		m.bytes = append(m.bytes, make([]byte, missing)...)
	}
	return copy(m.bytes[at:], p), nil
}

func (m *memFile) Truncate(size int64) error {
	m.bytes = m.bytes[:min(int(size), len(m.bytes))]
	return nil
}

func (m *memFile) Sync() error { return nil }

// TestLoadedIndexAnswersLikeOneThatWasNeverClosed ends and loads an index at random places, after
// which it has lost what was not flushed.
func TestLoadedIndexAnswersLikeOneThatWasNeverClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{NumPerm: 13, Bands: 3, Rows: 4, Votes: 1, Threshold: .5}
		p.UnseenOnly = rapid.Bool().Draw(t, "unseen only")
		signature := rapid.SliceOfN(rapid.Uint64Range(0, 3), p.NumPerm, p.NumPerm)
		file, length := &memFile{}, int64(0)
		want := newIndex(t, p)
		defer want.Close()
		var notes []string
		for run := range rapid.IntRange(1, 5).Draw(t, "runs") {
			var noted []string
			x, err := memory.Load(New, p, file, length, func(note []byte) error {
				noted = append(noted, string(note))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(noted, notes) {
				t.Fatalf("notes are %q, want %q", noted, notes)
			}
			if x.Stats() != want.Stats() {
				t.Fatalf("loaded %+v, want %+v", x.Stats(), want.Stats())
			}
			batch := rapid.SliceOfN(signature, 0, 20).Draw(t, "batch")
			commit := rapid.Bool().Draw(t, "commit")
			for i, slots := range batch {
				got := []memory.Match{{}}
				if _, err := x.Observe(sketchOf(p, slots), got); err != nil {
					t.Fatal(err)
				}
				x.Pass(i % 2)
				if !commit {
					continue
				}
				expected := []memory.Match{{}}
				if _, err := want.Observe(sketchOf(p, slots), expected); err != nil {
					t.Fatal(err)
				}
				want.Pass(i % 2)
				if got[0] != expected[0] {
					t.Fatalf("got %+v, want %+v", got, expected)
				}
			}
			note := fmt.Sprint("note ", run)
			if err := x.Note([]byte(note)); err != nil {
				t.Fatal(err)
			}
			if commit {
				if length, err = x.Flush(); err != nil {
					t.Fatal(err)
				}
				notes = append(notes, note)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// savedLog is a log of some records, of several frames.
func savedLog(t *testing.T) (file *memFile, length int64) {
	file = &memFile{}
	x, err := memory.Load(New, ordinary, file, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rng := rand.New(rand.NewPCG(1, 8))
	for range 3 {
		observe(t, x, random(rng, ordinary))
		if err := x.Note([]byte("a note")); err != nil {
			t.Fatal(err)
		}
		if length, err = x.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return file, length
}

func TestLogOfAnotherIndexIsRefused(t *testing.T) {
	file, length := savedLog(t)
	other := ordinary
	other.Rows = 8
	if _, err := memory.Load(New, other, file, length, nil); !errors.Is(err, memory.ErrCorrupt) {
		t.Error(err)
	}
}
