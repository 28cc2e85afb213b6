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
)

// testEnvironment folds early and writes short frames, so that small tests meet folds, and commits of several writes.
func testEnvironment(files fileSystem, minLog int64) environment {
	return environment{files, func() (uint64, bool) { return math.MaxUint64, true }, minLog, 100}
}

// digest stands for everything that an index remembers, to the bit.
func digest(x *Index, position Position) string {
	h := xxh3.New()
	for _, g := range x.generations {
		h.Write(bytesOf(g.words))
		binary.Write(h, binary.LittleEndian, []uint64{g.capacity, g.inserted, g.bandWords})
	}
	return fmt.Sprintf("%d observed, %d duplicates, %d generations, %v, %x", x.observed, x.duplicates, len(x.generations), position, h.Sum64())
}

var testIdentity = []Parameter{{"threshold", "0.85"}, {"field", "a\tb\\c\n"}, {"normalize", ""}}

var smallParams = Params{Bands: 2, Capacity: 60, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}

// A store that is committed, abandoned, closed, reopened and compacted at random is at any time the index that has observed the
// committed records and those since, and no others.
func TestStoreEqualsIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
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
				want.Observe(keys)
			}
			if got, want := digest(s.index, s.Committed()), digest(want, position); got != want {
				t.Fatalf("reopened:\n%s, want\n%s", got, want)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"observe": func(t *rapid.T) {
				keys := drawRecord(t, p.Bands)
				if _, err := s.Observe(keys); errors.Is(err, ErrFull) {
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
				reopen(errors.Join(s.Close(), compact(env, "idx")))
			},
			"look": func(t *rapid.T) {
				r, err := openReader(env, "idx", p.Bands, testIdentity)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				for _, keys := range committed {
					if !r.Query(keys) && p.Remember == RememberAll {
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
	if err := compact(env, "idx"); err != nil {
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
		if err := compact(env, "idx"); err != nil {
			t.Fatal(err)
		}
	}
	m, err := readManifest(files, "idx")
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
	limit := max(env.minLog, int64(s.index.bytes()/4)) + maxPayload + frameOverhead
	for range 100_000 {
		stream.fill(keys)
		s.Observe(keys)
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
		if _, err := s.Observe(keys); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Commit(Position{Records: uint64(records)}), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestParametersMustAgree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	s, err := Open(dir, smallParams, testIdentity)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := smallParams
	other.FPRate = 1e-9
	for _, c := range []struct {
		p        Params
		identity []Parameter
		want     []string
	}{
		{other, testIdentity, []string{"fp-rate is 1e-06 in it and 1e-09 here"}},
		{smallParams, []Parameter{{"threshold", "0.8"}, {"field", "x"}, {"normalize", ""}},
			[]string{"threshold is 0.85 in it and 0.8 here", `field is "a\tb\\c\n" in it and x here`}},
		{smallParams, testIdentity[:2], []string{`normalize is "" in it and not known here`}},
		{smallParams, append(testIdentity[:3:3], Parameter{"seed", "1"}), []string{"seed is not known to it and 1 here"}},
	} {
		_, err := Open(dir, c.p, c.identity)
		if !errors.Is(err, ErrParameters) {
			t.Fatalf("error %v, want %v", err, ErrParameters)
		}
		if strings.Count(err.Error(), " here") != len(c.want) {
			t.Errorf("%v: want %d differences", err, len(c.want))
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: does not say %s", err, want)
			}
		}
	}
	if _, err := OpenReadOnly(dir, 3, testIdentity); !errors.Is(err, ErrParameters) {
		t.Errorf("reader with other bands: %v", err)
	}
	p, identity, err := ReadParameters(dir)
	if err != nil || p != smallParams || fmt.Sprint(identity) != fmt.Sprint(testIdentity) {
		t.Errorf("parameters %v, %v, %v", p, identity, err)
	}
	if _, err := Open(dir, smallParams, []Parameter{{"bands", "2"}}); err == nil {
		t.Error("an identity with the index's own name is accepted")
	}
}

func TestOneWriterManyReaders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	s, err := Open(dir, smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, smallParams, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("second writer: %v, want %v", err, ErrLocked)
	}
	if err := Compact(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("compact beside a writer: %v, want %v", err, ErrLocked)
	}
	one, two := []Key{{Lo: 1}, {Lo: 2}}, []Key{{Lo: 3}, {Lo: 4}}
	s.Observe(one)
	if err := s.Commit(Position{Records: 1}); err != nil {
		t.Fatal(err)
	}
	s.Observe(two)
	for range 2 {
		r, err := OpenReadOnly(dir, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if !r.Query(one) || r.Query(two) || r.Committed().Records != 1 {
			t.Error("a reader sees something else than the last commit")
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir, smallParams, nil); err != nil {
		t.Fatalf("the lock outlives its writer: %v", err)
	}
	s.Close()
}

// foldsMeanwhile lets a writer fold between a reader's look at MANIFEST and at the files that it names.
type foldsMeanwhile struct {
	*memFiles
	fold func()
}

func (m *foldsMeanwhile) Open(name string, forWriting bool) (file, error) {
	if fold := m.fold; fold != nil && filepath.Base(name) != manifestName {
		m.fold = nil
		fold()
	}
	return m.memFiles.Open(name, forWriting)
}

func TestReaderBesideFold(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1<<30)
	fill(t, env, smallParams, 50, 1)
	s, err := openStore(env, "idx", smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	racing := &foldsMeanwhile{files, func() {
		if err := s.fold(Position{Records: 51}); err != nil {
			t.Error(err)
		}
	}}
	r, err := openReader(testEnvironment(racing, 1<<30), "idx", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if racing.fold != nil || r.Committed().Records != 51 {
		t.Errorf("the reader found %+v", r.Committed())
	}
}

func TestPositionMeta(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1<<30)
	s, err := openStore(env, "idx", smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(Position{Meta: make([]byte, MaxMeta+1)}); err == nil {
		t.Error("more than MaxMeta bytes are accepted")
	}
	meta := []byte(strings.Repeat("x", MaxMeta))
	if err := errors.Join(s.Commit(Position{Meta: meta}), s.Close()); err != nil {
		t.Fatal(err)
	}
	if s, err = openStore(env, "idx", smallParams, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if string(s.Committed().Meta) != string(meta) {
		t.Errorf("%d bytes come back", len(s.Committed().Meta))
	}
}

func TestOpenRefuses(t *testing.T) {
	parent := t.TempDir()
	if _, err := Open(filepath.Join(parent, "no", "idx"), smallParams, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing parent: %v", err)
	}
	if _, err := OpenReadOnly(filepath.Join(parent, "none"), 2, nil); !errors.Is(err, ErrNoIndex) {
		t.Errorf("a missing index: %v", err)
	}
	if err := Compact(filepath.Join(parent, "none")); !errors.Is(err, ErrNoIndex) {
		t.Errorf("a missing index: %v", err)
	}
	name := filepath.Join(parent, "file")
	os.WriteFile(name, nil, 0o666)
	if _, err := Open(name, smallParams, nil); err == nil {
		t.Error("a file is taken for a directory")
	}
	// Index files without a MANIFEST are not overwritten.
	dir := filepath.Join(parent, "idx")
	s, err := Open(dir, smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Observe([]Key{{Lo: 1}, {Lo: 2}})
	s.Commit(Position{})
	s.Close()
	os.Remove(filepath.Join(dir, manifestName))
	if _, err := Open(dir, smallParams, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a lost MANIFEST: %v", err)
	}
}

func TestInspect(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1<<30)
	fill(t, env, smallParams, 100, 1)
	d, err := inspect(env, "idx")
	if err != nil {
		t.Fatal(err)
	}
	if d.Stats.Observed != 100 || len(d.Stats.Generations) != 2 || d.Committed.Records != 100 || d.Commits != 2 || d.Uncommitted != 0 {
		t.Errorf("%+v", d)
	}
	if len(d.Files) != 1 || d.Files[0].Name != "log-1" || d.Files[0].Bytes != int64(len(files.entries["idx/log-1"].data)) {
		t.Errorf("files %v", d.Files)
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
	allocs := testing.AllocsPerRun(100_000, func() {
		stream.fill(keys)
		if _, err := s.Observe(keys); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%g allocations a record", allocs)
	}
}

// discard forgets what is written to files.
type discard struct{ *memFiles }

func (d discard) Create(name string) (file, error) {
	f, err := d.memFiles.Create(name)
	return discardFile{f}, err
}

type discardFile struct{ file }

func (discardFile) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
