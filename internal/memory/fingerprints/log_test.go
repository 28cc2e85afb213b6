package fingerprints

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// A memFile is a file of which a crash leaves what was not flushed, or loses it.
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
	m.bytes = append(m.bytes[:at], p...)
	return len(p), nil
}

func (m *memFile) Truncate(size int64) error {
	m.bytes = m.bytes[:min(int(size), len(m.bytes))]
	return nil
}

func (m *memFile) Sync() error { return nil }

// An index that ends and is loaded at random places, with and without a commit, answers like one
// that was never closed.
func TestLoadedIndexAnswersLikeOneThatWasNeverClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.UnseenOnly = rapid.Bool().Draw(t, "unseen only")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		items := planted(rng, p, 300)
		want, _ := New(p)
		defer want.Close()
		file, length, notes := &memFile{}, int64(0), []string(nil)
		for range rapid.IntRange(1, 5).Draw(t, "runs") {
			var noted []string
			x, err := memory.Load(New, p, file, length, func(note []byte) error {
				noted = append(noted, string(note))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if p.Measure == Hamming {
				lanesOf(x).mostLatest = 7
			}
			got, expected := x.Stats(), want.Stats()
			got.Bytes, expected.Bytes = 0, 0
			if got != expected || !slices.Equal(noted, notes) {
				t.Fatalf("loaded %+v, %q, want %+v, %q", got, noted, expected, notes)
			}
			batch := items[:rapid.IntRange(0, 60).Draw(t, "batch")]
			items = items[len(batch):]
			commit := rapid.Bool().Draw(t, "commit")
			for _, item := range batch {
				var got, expected [1]memory.Match
				if _, err := x.Observe(item, got[:]); err != nil {
					t.Fatal(err)
				}
				if commit {
					if _, err := want.Observe(item, expected[:]); err != nil {
						t.Fatal(err)
					}
					if got != expected {
						t.Fatalf("%+v, want %+v", got, expected)
					}
				}
			}
			if err := x.Note([]byte{byte(len(notes))}); err != nil {
				t.Fatal(err)
			}
			if commit {
				if length, err = x.Flush(); err != nil {
					t.Fatal(err)
				}
				notes = append(notes, string([]byte{byte(len(notes))}))
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// logOf is a log of some fingerprints.
func logOf(t *testing.T, p Params, count int) (*memFile, int64) {
	t.Helper()
	file := &memFile{}
	x, err := memory.Load(New, p, file, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, item := range planted(rng, p, count) {
		if _, err := x.Observe(item, make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Note([]byte("note")); err != nil {
		t.Fatal(err)
	}
	length, err := x.Flush()
	if err != nil {
		t.Fatal(err)
	}
	return file, length
}

func TestLogOfAnotherIndexIsRefused(t *testing.T) {
	file, length := logOf(t, Params{Bits: 64, Distance: 3}, 20)
	for _, other := range []Params{{Bits: 64, Distance: 4}, {Bits: 128, Distance: 3}} {
		if _, err := memory.Read(New, other, file, length, nil); !errors.Is(err, memory.ErrCorrupt) {
			t.Errorf("%+v: %v", other, err)
		}
	}
}
