package bloomlsh

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// limited draws parameters of a paged index with memory for two of its generations.
func limited(t *rapid.T) Params {
	p := drawTagged(t)
	p.OnFull = OnFullGrow
	if p.Filter == FilterClassic {
		p.Filter = FilterPaged
	}
	p.Capacity = rapid.Uint64Range(8, 200).Draw(t, "records")
	if p.KeepGenerations == 0 {
		p.Generations = rapid.IntRange(2, 5).Draw(t, "generations")
	}
	if p.isTagged() {
		p.Memory = 2*planGeneration(p, 0).memory(p.Votes) + 4096
		return p
	}
	if p.Votes = 1; p.Bands > 2 && rapid.Bool().Draw(t, "two votes") {
		p.Votes, p.FPRate = 2, lsh.MinFPRate
	}
	p.Memory = 2*planGeneration(p, 0).memory(p.Votes) + 4096
	return p
}

// TestStoredGenerationsEqualMemory checks that an index that reads older generations from disk
// gives the same answers as one in memory, for foreseen and other records, and that its readers do,
// too.
func TestStoredGenerationsEqualMemory(t *testing.T) {
	fixedseed.Quarter(t)
	rapid.Check(t, func(t *rapid.T) {
		p := limited(t)
		files := storetest.New(t)
		env := testEnvironment(rapid.SampledFrom([]int64{1, 2000, 1 << 30}).Draw(t, "minLog"))
		unlimited := p
		unlimited.Memory = 0
		want, err := New(unlimited)
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		wasStored := false
		for range rapid.IntRange(1, 3).Draw(t, "runs") {
			s, err := openStore(env, files.Path("idx"), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "several goroutines") {
				s.Parallelize(3)
			}
			for range rapid.IntRange(1, 6).Draw(t, "groups") {
				var group []Key
				n := rapid.IntRange(0, 60).Draw(t, "records")
				for range n {
					group = append(group, drawRecord(t, p.Bands)...)
				}
				if rapid.Bool().Draw(t, "foreseen") {
					if err := s.Prefetch(group); err != nil {
						t.Fatal(err)
					}
				}
				if n, err := s.Observe(nil, nil); n != 0 || err != nil {
					t.Fatalf("no records: %d observed, %v", n, err)
				}
				for len(group) > 0 {
					n := rapid.IntRange(1, len(group)/p.Bands).Draw(t, "batch")
					keys := slices.Clone(group[:n*p.Bands])
					group = group[n*p.Bands:]
					got, votes := make([]uint16, n), make([]uint16, n)
					_, err := s.Observe(keys, got)
					_, failed := want.Observe(keys, votes)
					if err != nil || failed != nil || !slices.Equal(got, votes) {
						t.Fatalf("votes %v, want %v: %v, %v", got, votes, err, failed)
					}
				}
				wasStored = wasStored || s.index.hasStored()
				if bytes := s.index.bytes() - s.index.storedBytes(); bytes > p.Memory {
					t.Fatalf("filters take %d bytes of %d", bytes, p.Memory)
				}
			}
			if err := errors.Join(s.Commit(Position{}), s.Close()); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "compact") {
				if err := compact(env, files.Path("idx"), index.Undo{}); err != nil {
					t.Fatal(err)
				}
			}
			r, err := openReader(env, files.Path("idx"), p.Bands, nil, p.Memory)
			if err != nil {
				t.Fatal(err)
			}
			keys := append(drawRecord(t, p.Bands), drawRecord(t, p.Bands)...)
			got, votes := make([]uint16, 2), make([]uint16, 2)
			err = errors.Join(r.Query(keys, got), want.Query(keys, votes))
			if err != nil || !slices.Equal(got, votes) {
				t.Fatalf("a reader has votes %v, want %v: %v", got, votes, err)
			}
			var answers, wanted Answers
			answers.Reset(p.Bands)
			wanted.Reset(p.Bands)
			err = errors.Join(r.Prefetch(keys), r.Lookup(keys, &answers), want.Lookup(keys, &wanted))
			if err != nil || !reflect.DeepEqual(answers, wanted) {
				t.Fatalf("a reader answers %v, want %v: %v", answers, wanted, err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if fresh, err := openStore(testEnvironment(1), files.Path("idx"), unlimited, nil); err != nil {
			t.Fatal(err)
		} else {
			defer fresh.Abandon()
			if got, want := digest(fresh.index, Position{}), digest(want, Position{}); got != want {
				t.Fatalf("in memory again:\n%s, want\n%s", got, want)
			}
		}
		if !wasStored {
			t.Skip("everything was in memory")
		}
	})
}

// TestStoredGenerationCannotBeRead checks that a failing disk stops the run, rather than making
// records appear unseen.
func TestStoredGenerationCannotBeRead(t *testing.T) {
	p := Params{Bands: 4, Capacity: 100, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow,
		Generations: 5}
	p.Memory = 2 * planGeneration(p.complete(), 0).memory(1)
	files := storetest.New(t)
	s, err := openStore(testEnvironment(1<<30), files.Path("idx"), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, keys, votes := &keyStream{3}, make([]Key, p.Bands), make([]uint16, 1)
	for range 90 {
		stream.fill(keys)
		if _, err := s.Observe(keys, votes); err != nil {
			t.Fatal(err)
		}
	}
	if !s.index.hasStored() {
		t.Fatal("nothing is on disk")
	}
	for _, name := range files.Names("idx") {
		if strings.HasPrefix(name, "base-") {
			files.Write("idx/"+name, files.Read("idx/" + name)[:index.SealedHeader])
		}
	}
	stream.fill(keys)
	if _, err := s.Observe(keys, votes); !errors.Is(err, ErrCorrupt) {
		t.Errorf("observe: %v", err)
	}
	if err := s.Query(keys, votes); !errors.Is(err, ErrCorrupt) {
		t.Errorf("query: %v", err)
	}
	s.Abandon()
}

func TestEntriesAreSortedByPages(t *testing.T) {
	for _, pages := range []uint64{1, 7, 100, 100_000} {
		stream := &keyStream{pages}
		order := make([]uint64, 1000)
		keys := make([]Key, 1)
		for i := range order {
			stream.fill(keys)
			order[i] = keys[0].Lo%pages<<32 | uint64(i)
		}
		want := slices.Sorted(slices.Values(order))
		if got := byPages(order, pages); !slices.Equal(got, want) {
			t.Errorf("%d pages: not in order", pages)
		}
	}
}
