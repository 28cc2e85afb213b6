package days

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/indextest"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// noted are a few names, as memory.Names notes them.
var noted = []byte(`{"records":3,"inputs":[{"name":"a","first":1,"at":1}]}`)

// writeDays writes days to a new index.
func writeDays(t testing.TB, dir string, write ...func(w *Writer) error) {
	t.Helper()
	of := indextest.Open(t, dir)
	for i, write := range write {
		w, err := Create(of, i+1)
		if err == nil {
			err = write(w)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	indextest.Commit(t, of)
	if err := of.Close(); err != nil {
		t.Fatal(err)
	}
}

// writtenDay is an index with the log of a day of three records, the second without a sketch.
func writtenDay(t testing.TB, joined []uint64) (dir string, day Day) {
	dir = t.TempDir()
	writeDays(t, dir, func(w *Writer) error {
		for _, sketch := range [][]uint64{{1, 2}, {}, {3}} {
			if err := w.Add(sketch); err != nil {
				return err
			}
		}
		return errors.Join(w.Note(noted), w.Joined(joined), w.Pairs(pairsOf(joined)))
	})
	return dir, Day{Records: 3}
}

// snapshot calls do with what opens the logs of an index.
func snapshot(dir string, do func(index.ReadLog) error) error {
	return index.Read(dir, func(from *index.Snapshot) error { return do(from.OpenLog) })
}

func verify(dir string, day Day) error {
	return snapshot(dir, func(open index.ReadLog) error { return Verify(open, 1, day) })
}

// pairsOf are pairs of records with those before them, every third a copy.
func pairsOf(joined []uint64) (pairs []memory.Join) {
	for i, record := range joined {
		later := uint32(record)
		pairs = append(pairs, memory.Join{Later: later, Earlier: later / uint32(i+2), IsCopy: i%3 == 0})
	}
	slices.SortStableFunc(pairs, func(a, b memory.Join) int { return cmp.Compare(a.Later, b.Later) })
	return pairs
}

func TestDayIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		joined := rapid.SliceOfNDistinct(rapid.Uint64Range(1, 1<<31), 0, 200, rapid.ID).Draw(r, "joined")
		slices.Sort(joined)
		dir, day := writtenDay(t, joined)
		var sketches [][]uint64
		var numbers []uint64
		var pairs []memory.Join
		names := ""
		err := snapshot(dir, func(open index.ReadLog) error {
			return Read(open, 1, day, Contents{
				Sketch: func(s []uint64, _ int64) error { sketches = append(sketches, slices.Clone(s)); return nil },
				Names:  func(note []byte) error { names += string(note); return nil },
				Joined: func(n uint64) error { numbers = append(numbers, n); return nil },
				Pair:   func(p memory.Join) error { pairs = append(pairs, p); return nil },
			})
		})
		if err != nil || !slices.EqualFunc(sketches, [][]uint64{{1, 2}, {}, {3}}, slices.Equal) ||
			names != string(noted) || !slices.Equal(numbers, joined) || !slices.Equal(pairs, pairsOf(joined)) {
			r.Fatal(err, sketches, names, numbers, pairs)
		}
		if err := verify(dir, day); err != nil {
			r.Fatal(err)
		}
	})
}

// Whatever byte is another one, and wherever the log ends, that is noticed.
func TestDamagedDay(t *testing.T) {
	dir, day := writtenDay(t, []uint64{1, 7})
	whole, err := os.ReadFile(filepath.Join(dir, logName(1)))
	if err != nil || verify(dir, day) != nil {
		t.Fatal(err)
	}
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] ^= 4
		check(t, dir, day, damaged)
		check(t, dir, day, whole[:i])
	}
	if err := os.WriteFile(filepath.Join(dir, logName(1)), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if day.Records++; !errors.Is(verify(dir, day), memory.ErrCorrupt) {
		t.Error("a record less than there should be")
	}
}

func check(t *testing.T, dir string, day Day, bytes []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, logName(1)), bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := verify(dir, day); !errors.Is(err, memory.ErrCorrupt) && !errors.Is(err, index.ErrCorrupt) {
		t.Errorf("%d bytes: %v", len(bytes), err)
	}
}

// What a frame holds is checked even where its checksum is right.
func FuzzDay(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9}, []byte("j\x01\x05"))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0}, []byte("p\x05\x03\x00\x0a"))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255}, []byte("{}"))
	f.Fuzz(func(t *testing.T, payload, note []byte) {
		words, last := 0, uint64(0)
		r := reader{to: Contents{
			Sketch: func(s []uint64, _ int64) error { words += 1 + len(s); return nil },
			Names:  func([]byte) error { return nil },
			Joined: func(n uint64) error {
				if n <= last {
					t.Fatal(n, last)
				}
				last = n
				return nil
			},
			Pair: func(p memory.Join) error {
				if p.Earlier >= p.Later {
					t.Fatal(p)
				}
				return nil
			},
		}}
		if err := r.entries(payload, 0); err == nil && words*wordBytes != len(payload) ||
			err != nil && !errors.Is(err, memory.ErrCorrupt) && !errors.Is(err, memory.ErrVersion) {
			t.Fatal(err, words)
		}
		if err := r.note(note); err != nil && !errors.Is(err, memory.ErrCorrupt) && !errors.Is(err, memory.ErrVersion) {
			t.Fatal(err)
		}
	})
}
