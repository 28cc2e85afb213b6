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
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// noted are a few names, as memory.Names notes them.
var noted = []byte(`{"records":3,"inputs":[{"name":"a","first":1,"at":1}]}`)

// held opens a directory, until the test ends.
func held(t interface {
	Fatal(...any)
	Cleanup(func())
}, path string) *store.Dir {
	dir, err := store.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir
}

// A day that is given up leaves alone what has taken the path of its directory meanwhile.
func TestDiscardInADirectoryThatWasReplaced(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "idx")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := Create(held(t, dir), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(dir, filepath.Join(parent, "moved")), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	day := writtenDay(t, dir, nil)
	if err := w.Discard(); err != nil {
		t.Error(err)
	}
	if err := Verify(held(t, dir), 1, day); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Join(parent, "moved")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// written is the log of a day of three records, the second without a sketch.
func writtenDay(t testing.TB, dir string, joined []uint64) Day {
	w, err := Create(held(t, dir), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, sketch := range [][]uint64{{1, 2}, {}, {3}} {
		if err := w.Add(sketch); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Note(noted), w.Joined(joined), w.Pairs(pairsOf(joined))); err != nil {
		t.Fatal(err)
	}
	bytes, err := w.Sync()
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return Day{Records: 3, Bytes: bytes, Packed: true}
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
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		joined := rapid.SliceOfNDistinct(rapid.Uint64Range(1, 1<<31), 0, 200, rapid.ID).Draw(r, "joined")
		slices.Sort(joined)
		day := writtenDay(t, dir, joined)
		var sketches [][]uint64
		var numbers []uint64
		var pairs []memory.Join
		names := ""
		err := Read(held(t, dir), 1, day, Contents{
			Sketch: func(s []uint64, _ int64) error { sketches = append(sketches, slices.Clone(s)); return nil },
			Names:  func(note []byte) error { names += string(note); return nil },
			Joined: func(n uint64) error { numbers = append(numbers, n); return nil },
			Pair:   func(p memory.Join) error { pairs = append(pairs, p); return nil },
		})
		if err != nil || !slices.EqualFunc(sketches, [][]uint64{{1, 2}, {}, {3}}, slices.Equal) ||
			names != string(noted) || !slices.Equal(numbers, joined) || !slices.Equal(pairs, pairsOf(joined)) {
			r.Fatal(err, sketches, names, numbers, pairs)
		}
		if err := Verify(held(t, dir), 1, day); err != nil {
			r.Fatal(err)
		}
	})
}

// Whatever byte is another one, and wherever the log ends, that is noticed.
func TestDamagedDay(t *testing.T) {
	dir := t.TempDir()
	day := writtenDay(t, dir, []uint64{1, 7})
	whole, err := os.ReadFile(filepath.Join(dir, logName(1)))
	if err != nil || Verify(held(t, dir), 1, day) != nil {
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
	if day.Records++; !errors.Is(Verify(held(t, dir), 1, day), memory.ErrCorrupt) {
		t.Error("a record less than there should be")
	}
}

func check(t *testing.T, dir string, day Day, bytes []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, logName(1)), bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Verify(held(t, dir), 1, day); !errors.Is(err, memory.ErrCorrupt) {
		t.Errorf("%d bytes: %v", len(bytes), err)
	}
}

// A day of whole sketches, as before version 2 of the format, is refused by that.
func TestDayThatIsNotPacked(t *testing.T) {
	dir := t.TempDir()
	day := writtenDay(t, dir, nil)
	day.Packed = false
	if err := Verify(held(t, dir), 1, day); !errors.Is(err, memory.ErrVersion) {
		t.Error(err)
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
