package bloomlsh

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// doublingParams returns parameters of a table whose first pages are full after some thousand
// records.
func doublingParams(capacity uint64) Params {
	return Params{Bands: 32, Votes: 8, Capacity: capacity, FPRate: 1e-8, Growth: GrowthDoubling}
}

// observeStream observes records that are not similar to any others, in batches of the given size.
func observeStream(t *testing.T, x interface {
	Observe(keys []Key, votes []uint16) (int, error)
}, stream *keyStream, bands, records, batch int) {
	t.Helper()
	for ; records > 0; records -= batch {
		n := min(batch, records)
		keys := make([]Key, n*bands)
		stream.fill(keys)
		if observed, err := x.Observe(keys, make([]uint16, n)); observed != n || err != nil {
			t.Fatal(observed, err)
		}
	}
}

// TestDoublingKeepsEveryKey checks that a table that has doubled contains every key, with narrow
// and with wide entries, while its pages are being divided and afterwards.
func TestDoublingKeepsEveryKey(t *testing.T) {
	for _, c := range []struct{ votes, records int }{{8, 60_000}, {8, 61_000}, {2, 40_000}, {2, 30_500}} {
		p := doublingParams(2000)
		if hurried() { // a table of a quarter of the size doubles as often
			p.Capacity /= 4
			c.records /= 4
		}
		p.Votes = c.votes
		x := mustNew(t, p)
		observeStream(t, x, &keyStream{1}, p.Bands, c.records, 512)
		g := x.current()
		if len(x.generations) != 1 || g.doublings < 4 || g.undoubled().capacity != p.Capacity {
			t.Fatalf("%d generations; %d records in a table for %d that has doubled %d times", len(x.generations),
				g.inserted, g.capacity, g.doublings)
		}
		votes, keys, stream := make([]uint16, 500), make([]Key, 500*p.Bands), &keyStream{1}
		for asked := 0; asked < c.records; asked += len(votes) {
			n := min(len(votes), c.records-asked)
			keys, votes := keys[:n*p.Bands], votes[:n]
			stream.fill(keys)
			if err := x.Query(keys, votes); err != nil {
				t.Fatal(err)
			}
			for i, v := range votes {
				if int(v) != p.Bands {
					t.Fatalf("%d votes, %d records: record %d has %d", p.Votes, c.records, asked+i, v)
				}
			}
		}
	}
}

// wordsOfTable returns the entries of an index, including the first ones wherever they are.
func wordsOfTable(x *Index) []uint64 {
	x.current().moveFirst()
	return slices.Clone(x.current().words)
}

// TestDoublingIsDeterministic checks that the contents of a table depend only on the records, not
// on the size of batches.
func TestDoublingIsDeterministic(t *testing.T) {
	want := wordsWhileDividing(t, 1)
	for _, batch := range []int{7, 500, 20_000} {
		if got := wordsWhileDividing(t, batch); !slices.Equal(got, want) {
			t.Errorf("batches of %d: other entries", batch)
		}
	}
}

// wordsWhileDividing returns the words of a table that is being divided, after batches of records.
func wordsWhileDividing(t *testing.T, batch int) []uint64 {
	t.Helper()
	p := doublingParams(1000)
	x := mustNew(t, p)
	observeStream(t, x, &keyStream{3}, p.Bands, 15_300, batch)
	if g := x.current(); g.tags.undivided == 0 || g.doublings != 5 {
		t.Fatalf("%d doublings, %d pages are to be divided", g.doublings, g.tags.undivided)
	}
	return wordsOfTable(x)
}

// TestDoublingIsResumed checks that an index that was closed and reopened, folded or not, ends up
// the same as one that was not.
func TestDoublingIsResumed(t *testing.T) {
	fixedseed.Quarter(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := doublingParams(100)
		p.Bands, p.Votes = 5, 3
		whole := mustNew(t, p)
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		idx := filepath.Join(dir, "idx")
		direct, resumed := &keyStream{5}, &keyStream{5}
		env := testEnvironment(rapid.SampledFrom([]int64{1, 20_000, 1 << 30}).Draw(rt, "minLog"))
		records := 0
		for range rapid.IntRange(1, 6).Draw(rt, "runs") {
			n := rapid.IntRange(1, 1500).Draw(rt, "records")
			s, err := openStore(env, idx, p, testIdentity)
			if err != nil {
				rt.Fatal(err)
			}
			observeStream(t, s, resumed, p.Bands, n, 100)
			observeStream(t, whole, direct, p.Bands, n, 33)
			records += n
			commit := s.Commit
			if rapid.Bool().Draw(rt, "fold") {
				commit = s.Fold
			}
			if err := errors.Join(commit(Position{Records: uint64(records)}), s.Close()); err != nil {
				rt.Fatal(err)
			}
		}
		if err := Verify(idx); err != nil {
			rt.Fatal(err)
		}
		r, err := OpenReadOnly(idx, p.Bands, testIdentity)
		if err != nil {
			rt.Fatal(err)
		}
		defer r.Close()
		if got, want := r.index.current(), whole.current(); got.inserted != want.inserted ||
			got.doublings != want.doublings || got.tags.undivided != want.tags.undivided {
			rt.Fatalf("%d records, %d doublings, %d pages to divide; want %d, %d, %d", got.inserted, got.doublings,
				got.tags.undivided, want.inserted, want.doublings, want.tags.undivided)
		}
		if !bytes.Equal(bytesOf(r.index.current().words), bytesOf(wordsOfTable(whole))) {
			rt.Fatal("other entries")
		}
	})
}

// TestMergeOfDoubling checks that merging tables that have doubled differently gives one that
// contains the keys of both and keeps growing.
func TestMergeOfDoubling(t *testing.T) {
	p := doublingParams(100)
	p.Bands, p.Votes, p.FPRate = 5, 3, lsh.MinFPRate
	for _, counts := range [][2]int{{50, 3000}, {3000, 50}, {1610, 1600}, {1600, 1620}, {0, 120}, {90, 0}, {700, 900}} {
		dir := t.TempDir()
		var dirs []string
		for i, n := range counts {
			s, err := Open(filepath.Join(dir, fmt.Sprint(i)), p, testIdentity)
			if err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, filepath.Join(dir, fmt.Sprint(i)))
			observeStream(t, s, &keyStream{uint64(100 + i)}, p.Bands, n, 100)
			commit := s.Commit
			if i == 0 {
				commit = s.Fold
			}
			if err := errors.Join(commit(Position{}), s.Close()); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(dir, "out")
		if err := Merge(dirs, out); err != nil {
			t.Fatalf("%v: %v", counts, err)
		}
		s, err := Open(out, p, testIdentity)
		if err != nil {
			t.Fatal(err)
		}
		observeStream(t, s, &keyStream{102}, p.Bands, 2000, 100)
		keys, votes := make([]Key, p.Bands), make([]uint16, 1)
		for i, n := range append(counts[:], 2000) {
			stream := &keyStream{uint64(100 + i)}
			for record := range n {
				stream.fill(keys)
				if err := s.Query(keys, votes); err != nil || int(votes[0]) < p.Votes {
					t.Fatalf("%v: record %d of %d has %d votes, %v", counts, record, i, votes[0], err)
				}
			}
		}
		if got, want := s.Stats().Inserted, uint64(counts[0]+counts[1]+2000); got > want || got < want-5 {
			t.Errorf("%v: it holds %d records, want %d", counts, got, want)
		}
		if err := errors.Join(s.Commit(Position{}), s.Close()); err != nil {
			t.Fatal(err)
		}
		if err := Verify(out); err != nil {
			t.Error(err)
		}
	}
}

// TestStrayVotesOfDoubling compares the error model with a table that doubles: how often an unseen
// key matches one particular group.
func TestStrayVotesOfDoubling(t *testing.T) {
	const queries = 20_000
	p := doublingParams(2000)
	x := mustNew(t, p)
	stream, inserted := &keyStream{1}, 0
	for _, records := range []int{2000, 2050, 4000, 8000, 9000, 32_000, 64_000, 96_000} {
		observeStream(t, x, stream, p.Bands, records-inserted, 1000)
		inserted = records
		g := x.current()
		q := g.bandRate(float64(records))
		keys, votes := make([]Key, queries*p.Bands), make([]uint16, queries)
		(&keyStream{1 << 40}).fill(keys)
		if err := x.Query(keys, votes); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, v := range votes {
			if v >= 2 {
				found++
			}
		}
		groups := float64(narrowDoubling.tags())
		what := fmt.Sprintf("%d records, %d doublings: two votes by accident", records, g.doublings)
		compareRate(t, what, found, queries, -math.Expm1(-groups*lsh.AtLeast(p.Bands, 2, q)))
	}
}

// TestDivisionKeepsUp checks that pauses are short: each record divides a small share of the pages,
// and all are divided in time.
func TestDivisionKeepsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := planGeneration(doublingParams(rapid.Uint64Range(1, 1<<30).Draw(t, "capacity")).complete(), 0)
		for range rapid.IntRange(1, 5).Draw(t, "doublings") {
			g = g.double()
		}
		before, pages := g.before(), g.words()/pageWords/2
		if got := g.undivided(before); got != pages {
			t.Fatalf("%d of %d pages are to be divided at first", got, pages)
		}
		end := before + max(1, before/divisionShare)
		if g.undivided(end) != 0 || g.undivided(end-1) == 0 {
			t.Fatalf("%d pages are to be divided at the end, %d before", g.undivided(end), g.undivided(end-1))
		}
		record := rapid.Uint64Range(before, end-1).Draw(t, "record")
		most := (pages + end - before - 1) / (end - before)
		if step := g.undivided(record) - g.undivided(record+1); step > most {
			t.Fatalf("a record divides %d pages, at most %d are expected", step, most)
		}
	})
}
