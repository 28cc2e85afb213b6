package bloomlsh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// testEnvironment folds early and writes short frames, so that small tests meet folds, and commits
// of several writes.
func testEnvironment(files fileSystem, minLog int64) environment {
	return environment{files, func() (uint64, bool) { return math.MaxUint64, true }, minLog, 100}
}

// digest stands for everything that an index remembers, to the bit.
func digest(x *Index, position Position) string {
	h := xxh3.New()
	for _, g := range x.generations {
		h.Write(bytesOf(bitsOf(g)))
		binary.Write(h, binary.LittleEndian, []uint64{g.capacity, g.inserted, g.bandWords})
	}
	return fmt.Sprintf("%d observed, %d duplicates, %d generations, %v, %x", x.observed, x.duplicates,
		len(x.generations), position, h.Sum64())
}

var testIdentity = []Parameter{{Name: "threshold", Value: "0.85"}, {Name: "field", Value: "a\tb\\c\n"},
	{Name: "normalize", Value: ""}}

var smallParams = Params{Bands: 2, Capacity: 60, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll,
	OnFull: OnFullGrow}

// A store that is committed, abandoned, closed, reopened and compacted at random is at any time the
// index that has observed the committed records and those since, and no others.
func TestStoreEqualsIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTagged(t)
		files := newMemFiles()
		env := testEnvironment(files, rapid.SampledFrom([]int64{1, 2000, 1 << 30}).Draw(t, "minLog"))
		if rapid.Bool().Draw(t, "disk is full for folds") {
			files.free = 0
		}
		s, err := openStore(env, "idx", p, testIdentity)
		if err != nil {
			t.Fatal(err)
		}
		var committed, pending [][]Key
		position := Position{}
		reopen := func(closed error) {
			if closed != nil {
				t.Fatal(closed)
			}
			pending = nil
			if s, err = openStore(env, "idx", p, testIdentity); err != nil {
				t.Fatal(err)
			}
			want, _ := New(p)
			defer want.Close()
			for _, keys := range committed {
				observeRecord(want, keys)
			}
			if got, want := digest(s.index, s.Committed()), digest(want, position); got != want {
				t.Fatalf("reopened:\n%s, want\n%s", got, want)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"observe": func(t *rapid.T) {
				keys := drawRecord(t, p.Bands)
				if _, err := observeRecord(s, keys); errors.Is(err, ErrFull) {
					t.Skip("full")
				} else if err != nil {
					t.Fatal(err)
				}
				pending = append(pending, keys)
			},
			"commit": func(t *rapid.T) {
				position = Position{Records: uint64(len(committed) + len(pending)), OutputBytes: 7}
				if rapid.Bool().Draw(t, "meta") {
					position.Meta = []byte("offsets")
				}
				if err := s.Commit(position); err != nil {
					t.Fatal(err)
				}
				committed, pending = append(committed, pending...), nil
			},
			"close":   func(t *rapid.T) { reopen(s.Close()) },
			"abandon": func(t *rapid.T) { reopen(s.release()) },
			"compact": func(t *rapid.T) {
				if files.free == 0 {
					t.Skip("no room")
				}
				reopen(errors.Join(s.Close(), compact(env, "idx", Undo{})))
			},
			"look": func(t *rapid.T) {
				r, err := openReader(env, "idx", p.Bands, testIdentity, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				for _, keys := range committed {
					if !hasRecord(r, keys) && p.Remember == RememberAll && !p.forgets() {
						t.Fatalf("a reader does not know %v", keys)
					}
				}
				if _, err := verify(env, "idx"); err != nil {
					t.Fatal(err)
				}
			},
		})
		s.release()
	})
}

func TestDailyAppendDoesNotRewriteTheBase(t *testing.T) {
	files := newMemFiles()
	p := smallParams
	p.Capacity = 10_000
	env := testEnvironment(files, 1<<30)
	fill(t, env, p, 100, 1)
	if err := compact(env, "idx", Undo{}); err != nil {
		t.Fatal(err)
	}
	base := append([]byte{}, files.entries["idx/base-1-2"].data...)
	fill(t, env, p, 100, 2)
	if string(files.entries["idx/base-1-2"].data) != string(base) || len(files.indexFiles("idx")) != 3 {
		t.Errorf("files %v", files.indexFiles("idx"))
	}
}

// A full generation that is on disk is not written again.
func TestFoldKeepsFullGenerations(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1)
	for run := range 4 {
		fill(t, env, smallParams, 50, uint64(run))
		if err := compact(env, "idx", Undo{}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := readManifest(in(files, "idx"))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.bases) != 2 || m.bases[0].name == baseName(1, 8) || !strings.HasPrefix(m.bases[1].name, "base-2-") {
		t.Errorf("base files %v", m.bases)
	}
}

// A run that commits late does not keep a log longer than a quarter of the filters.
func TestLateCommitDropsTheLog(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 20_000)
	p := smallParams
	p.Capacity = 1_000_000
	s, err := openStore(env, "idx", p, nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, keys, longest := &keyStream{1}, make([]Key, p.Bands), 0
	limit := max(env.minLog, int64(s.index.bytes()/4)) + mostKeys + framelog.Overhead
	for range 100_000 {
		stream.fill(keys)
		observeRecord(s, keys)
		longest = max(longest, len(files.entries["idx/log-1"].data))
	}
	if longest == 0 || int64(longest) > limit {
		t.Errorf("the log grew to %d bytes, want at most %d", longest, limit)
	}
	if now := int64(len(files.entries["idx/log-1"].data)); now != s.log.committed {
		t.Errorf("%d bytes of the log are left, %d are committed", now, s.log.committed)
	}
	if err := s.Commit(Position{Records: 100_000}); err != nil {
		t.Fatal(err)
	}
	want := digest(s.index, s.Committed())
	s.Close()
	if s, err = openStore(env, "idx", p, nil); err != nil {
		t.Fatal(err)
	}
	if got := digest(s.index, s.Committed()); got != want {
		t.Errorf("reopened %s, want %s", got, want)
	}
	s.Close()
}

// fill observes unrelated records and commits them.
func fill(t *testing.T, env environment, p Params, records int, seed uint64) {
	t.Helper()
	s, err := openStore(env, "idx", p, nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, keys := &keyStream{seed << 32}, make([]Key, p.Bands)
	for range records {
		stream.fill(keys)
		if _, err := observeRecord(s, keys); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Commit(Position{Records: uint64(records)}), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestObserveInStoreDoesNotAllocate(t *testing.T) {
	p := smallParams
	p.Capacity = 1_000_000
	s, err := openStore(testEnvironment(discard{newMemFiles()}, 1<<40), "idx", p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stream, keys := &keyStream{3}, make([]Key, p.Bands)
	votes := make([]uint16, 1)
	allocs := testing.AllocsPerRun(100_000, func() {
		stream.fill(keys)
		if _, err := s.Observe(keys, votes); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%g allocations a record", allocs)
	}
}

// discard forgets what is written to files.
type discard struct{ *memFiles }

func (d discard) OpenDir(path string) (dirFiles, error) { return discardDir{in(d.memFiles, path)}, nil }

type discardDir struct{ dirFiles }

func (d discardDir) CreateFile(name string) (file, error) {
	f, err := d.dirFiles.CreateFile(name)
	return discardFile{f}, err
}

type discardFile struct{ file }

func (discardFile) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
