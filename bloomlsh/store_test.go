package bloomlsh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// testEnvironment folds early and writes short frames, so that small tests involve folds and
// commits of several writes.
func testEnvironment(minLog int64) environment {
	e := system
	e.memory = func() (uint64, bool) { return math.MaxUint64, true }
	e.files.MinLog, e.files.Frame = minLog, 100
	return e
}

// digest returns a digest of everything that an index remembers, bit for bit.
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

// TestStoreEqualsIndex checks that a store that is committed, abandoned, closed, reopened and
// compacted at random always equals an index that has observed exactly the committed records and
// those since.
func TestStoreEqualsIndex(t *testing.T) {
	if hurried() {
		fixedseed.Quarter(t)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := drawTagged(t)
		files := storetest.New(t)
		env := testEnvironment(rapid.SampledFrom([]int64{1, 2000, 1 << 30}).Draw(t, "minLog"))
		isFull := rapid.Bool().Draw(t, "disk is full for folds")
		if isFull {
			env.files.Free = func(*store.Dir) (uint64, error) { return 0, nil }
		}
		s, err := openStore(env, files.Path("idx"), p, testIdentity)
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
			if s, err = openStore(env, files.Path("idx"), p, testIdentity); err != nil {
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
			"abandon": func(t *rapid.T) { reopen(s.Abandon()) },
			"compact": func(t *rapid.T) {
				if isFull {
					t.Skip("no room")
				}
				reopen(errors.Join(s.Close(), compact(env, files.Path("idx"), index.Undo{})))
			},
			"look": func(t *rapid.T) {
				r, err := openReader(env, files.Path("idx"), p.Bands, testIdentity, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				for _, keys := range committed {
					if !hasRecord(r, keys) && p.Remember == RememberAll && !p.forgets() {
						t.Fatalf("a reader does not know %v", keys)
					}
				}
				if err := verify(env, files.Path("idx")); err != nil {
					t.Fatal(err)
				}
			},
		})
		s.Abandon()
	})
}

func TestDailyAppendDoesNotRewriteTheBase(t *testing.T) {
	files := storetest.New(t)
	p := smallParams
	p.Capacity = 10_000
	env := testEnvironment(1 << 30)
	fill(t, env, files, p, 100, 1)
	if err := compact(env, files.Path("idx"), index.Undo{}); err != nil {
		t.Fatal(err)
	}
	base := files.Read("idx/base-1-2")
	fill(t, env, files, p, 100, 2)
	if string(files.Read("idx/base-1-2")) != string(base) || len(files.Names("idx")) != 4 {
		t.Errorf("files %v", files.Names("idx"))
	}
}

// TestFoldKeepsFullGenerations checks that a full generation on disk is not rewritten.
func TestFoldKeepsFullGenerations(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1)
	for run := range 4 {
		fill(t, env, files, smallParams, 50, uint64(run))
		if err := compact(env, files.Path("idx"), index.Undo{}); err != nil {
			t.Fatal(err)
		}
	}
	m := baseNames(files)
	if len(m) != 2 || m[0] == "base-1-8" || !strings.HasPrefix(m[1], "base-2-") {
		t.Errorf("base files %v", m)
	}
}

// TestLateCommitDropsTheLog checks that a run that commits late does not keep a log longer than a
// quarter of the filters.
func TestLateCommitDropsTheLog(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(20_000)
	p := smallParams
	p.Capacity = 1_000_000
	s, err := openStore(env, files.Path("idx"), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	length := func() int64 { return fileLength(t, files.Path("idx/log-1")) }
	committed := length()
	stream, keys, longest := &keyStream{1}, make([]Key, p.Bands), int64(0)
	limit := max(env.files.MinLog, int64(s.index.bytes()/4)) + index.MostFrame + framelog.Overhead
	for range 100_000 {
		stream.fill(keys)
		observeRecord(s, keys)
		longest = max(longest, length())
	}
	if longest == 0 || longest > limit {
		t.Errorf("the log grew to %d bytes, want at most %d", longest, limit)
	}
	if now := length(); now != committed {
		t.Errorf("%d bytes of the log are left, %d are committed", now, committed)
	}
	if err := s.Commit(Position{Records: 100_000}); err != nil {
		t.Fatal(err)
	}
	want := digest(s.index, s.Committed())
	s.Close()
	if s, err = openStore(env, files.Path("idx"), p, nil); err != nil {
		t.Fatal(err)
	}
	if got := digest(s.index, s.Committed()); got != want {
		t.Errorf("reopened %s, want %s", got, want)
	}
	s.Close()
}

func fileLength(t *testing.T, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// fill observes unrelated records and commits them.
func fill(t *testing.T, env environment, files *storetest.Machine, p Params, records int, seed uint64) {
	t.Helper()
	s, err := openStore(env, files.Path("idx"), p, nil)
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
	s, err := openStore(testEnvironment(1<<40), filepath.Join(t.TempDir(), "idx"), p, nil)
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
