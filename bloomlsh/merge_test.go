package bloomlsh

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// TestMergeEqualsOneIndex checks that the union of indexes that observed parts of a stream has the
// bits of one that observed all of it.
func TestMergeEqualsOneIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.KeepGenerations, p.Generations = 0, 0 // such an index cannot be merged, or only in part
		p.Remember = RememberAll
		indexes, most := rapid.IntRange(1, 3).Draw(t, "indexes"), 30
		p.Capacity = 100
		if indexes == 1 && p.OnFull == OnFullGrow {
			p.Capacity, most = 5, 100 // several generations
		}
		files, env := storetest.New(t), testEnvironment(1<<30)
		want, _ := New(p)
		defer want.Close()
		var dirs []string
		for i := range indexes {
			dir := files.Path(fmt.Sprint("part", i))
			dirs = append(dirs, dir)
			s, err := openStore(env, dir, p, testIdentity)
			if err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(0, most).Draw(t, "records") {
				keys := drawRecord(t, p.Bands)
				observeRecord(s, keys)
				observeRecord(want, keys)
			}
			if err := errors.Join(s.Commit(Position{Records: 1}), s.Close()); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "compact") {
				if err := compact(env, dir, index.Undo{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := merge(env, dirs, files.Path("all")); err != nil {
			t.Fatal(err)
		}
		s, err := openStore(env, files.Path("all"), p, testIdentity)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		want.duplicates = s.index.duplicates // duplicates across parts were not counted
		for i, g := range want.generations {
			merged := s.index.generations[i].inserted
			if merged < g.inserted || merged > g.capacity {
				t.Fatalf("generation %d counts %d records, of which %d are different", i+1, merged, g.inserted)
			}
			g.inserted = merged
		}
		if got, want := digest(s.index, s.Committed()), digest(want, Position{}); got != want {
			t.Fatalf("merged %s, want %s", got, want)
		}
	})
}

func TestMergeRefuses(t *testing.T) {
	files, env := storetest.New(t), testEnvironment(1<<30)
	make := func(dir string, p Params, seed uint64, records int) {
		s, err := openStore(env, files.Path(dir), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		stream, keys := &keyStream{seed}, []Key{{}, {}}
		for range records {
			stream.fill(keys)
			observeRecord(s, keys)
		}
		if err := errors.Join(s.Commit(Position{}), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	p := smallParams
	p.Capacity = 1000
	other := p
	other.FPRate = 1e-3
	make("a", p, 1, 700)
	make("b", p, 2<<32, 700)
	make("same", p, 1, 700)
	make("stored-a", p, 1, 700)
	make("stored-b", p, 2<<32, 700)
	for _, dir := range []string{"stored-a", "stored-b"} {
		if err := compact(env, files.Path(dir), index.Undo{}); err != nil {
			t.Fatal(err)
		}
	}
	make("other", other, 1, 1)
	for _, c := range []struct {
		dirs []string
		out  string
		want string
	}{
		{nil, "out", "no index"},
		{[]string{"a", "b"}, "out", "planned for 1000"},
		{[]string{"stored-a", "stored-b"}, "out", "planned for 1000"},
		{[]string{"a", "other"}, "out", "fp-rate"},
		{[]string{"a", "none"}, "out", "there is no index"},
		{[]string{"a"}, "b", "already"},
	} {
		var dirs []string
		for _, dir := range c.dirs {
			dirs = append(dirs, files.Path(dir))
		}
		if err := merge(env, dirs, files.Path(c.out)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("merge %v to %s: %v, want %s", c.dirs, c.out, err, c.want)
		}
	}
	if err := merge(env, []string{files.Path("a"), files.Path("same")}, files.Path("out")); err != nil {
		t.Errorf("two indexes of the same records: %v", err)
	}
}

// TestMergeOfOne checks that the merge of a single index is a copy, with all its generations.
func TestMergeOfOne(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		files, env := storetest.New(t), testEnvironment(1<<30)
		p := smallParams
		p.Capacity = 5
		fill(t, env, files, p, 50, 1)
		if compacted {
			if err := compact(env, files.Path("idx"), index.Undo{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := merge(env, []string{files.Path("idx")}, files.Path("copy")); err != nil {
			t.Fatal(err)
		}
		var digests []string
		for _, dir := range []string{"idx", "copy"} {
			s, err := openStore(env, files.Path(dir), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			digests = append(digests, digest(s.index, Position{}))
			s.Close()
		}
		if digests[0] != digests[1] {
			t.Errorf("the copy is %s, want %s", digests[1], digests[0])
		}
	}
}

// TestMergeCanBeRunAgain interrupts a merge anywhere, by a failed operation or a power failure.
// Either it can be run again, or it was complete.
func TestMergeCanBeRunAgain(t *testing.T) {
	p := smallParams
	p.Capacity = 5
	prepared := storetest.New(t)
	env := testEnvironment(1 << 30)
	fill(t, env, prepared, p, 50, 1)
	mergedDigest := func(files *storetest.Machine) string {
		s, err := openStore(env, files.Path("all"), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return digest(s.index, Position{})
	}
	whole := prepared.Clone()
	mergeIn := func(files *storetest.Machine) error {
		return merge(env, []string{files.Path("idx")}, files.Path("all"))
	}
	if err := mergeIn(whole); err != nil {
		t.Fatal(err)
	}
	want := mergedDigest(whole)
	random := rand.New(rand.NewPCG(3, 4))
	files, after := prepared.Clone(), prepared.Clone()
	step := 1
	if hurried() {
		step = 3
	}
	for n := 1; ; n += step {
		files.Restore(prepared.All())
		files.FailAt, files.Dead = n, true
		mergeIn(files)
		if files.Operations < n {
			break
		}
		for _, loss := range storetest.Losses { // or the program was merely killed
			after.Restore(files.Left(loss, random))
			if err := mergeIn(after); err != nil {
				t.Fatalf("operation %d, leaving %s: run again: %v", n, loss.Name, err)
			}
			if got := mergedDigest(after); got != want {
				t.Fatalf("operation %d, leaving %s: %s, want %s", n, loss.Name, got, want)
			}
			if left := after.Names("all"); len(left) != len(whole.Names("all")) {
				t.Fatalf("operation %d, leaving %s: there is %v", n, loss.Name, left)
			}
		}
	}
}

// TestMergeLeavesAUsedIndex checks that an index that has lost its MANIFEST is not treated as an
// interrupted merge if anything was added after the merge.
func TestMergeLeavesAUsedIndex(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	fill(t, env, files, smallParams, 50, 1)
	if err := merge(env, []string{files.Path("idx")}, files.Path("all")); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(env, files.Path("all"), smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit(Position{}), s.Close()); err != nil {
		t.Fatal(err)
	}
	files.Remove("all/MANIFEST")
	before := files.Names("all")
	if err := merge(env, []string{files.Path("idx")}, files.Path("all")); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	if left := files.Names("all"); len(left) != len(before) {
		t.Errorf("of %v there is %v", before, left)
	}
}

// TestMergeLeavesALostIndex checks the same for an index that was folded after the merge.
func TestMergeLeavesALostIndex(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	fill(t, env, files, smallParams, 50, 1)
	merged := merge(env, []string{files.Path("idx")}, files.Path("all"))
	if err := errors.Join(merged, compact(env, files.Path("all"), index.Undo{})); err != nil {
		t.Fatal(err)
	}
	files.Remove("all/MANIFEST")
	before := files.Names("all")
	if err := merge(env, []string{files.Path("idx")}, files.Path("all")); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	if left := files.Names("all"); len(left) != len(before) || !files.Has("all/log-2") {
		t.Errorf("of %v there is %v", before, left)
	}
}

// TestACompleteMergeIsRepeated checks that a complete merge can be repeated, even if its result has
// been used since, which contains what was merged. If a source has been replaced or extended, it is
// a different merge.
func TestACompleteMergeIsRepeated(t *testing.T) {
	files, env := storetest.New(t), testEnvironment(1<<30)
	fill(t, env, files, smallParams, 50, 1)
	idx, all := files.Path("idx"), files.Path("all")
	merged := []string{idx}
	for range 2 {
		if err := merge(env, merged, all); err != nil {
			t.Fatal(err)
		}
	}
	observeIn := func(dir string) {
		s, err := openStore(env, dir, smallParams, nil)
		if err != nil {
			t.Fatal(err)
		}
		observeRecord(s, []Key{{Hi: 7, Lo: 7}, {Hi: 8, Lo: 8}})
		if err := errors.Join(s.Commit(Position{}), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	observeIn(all)
	if err := merge(env, merged, all); err != nil {
		t.Error(err)
	}
	if err := merge(env, []string{idx, idx}, all); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("other sources: %v", err)
	}
	observeIn(idx)
	if err := merge(env, merged, all); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a source that has grown: %v", err)
	}
}

// TestOnlyOwnLeftoversAreRemoved checks that opening an index removes its own leftovers and no
// files with merely similar names.
func TestOnlyOwnLeftoversAreRemoved(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	fill(t, env, files, smallParams, 50, 1)
	if err := compact(env, files.Path("idx"), index.Undo{}); err != nil {
		t.Fatal(err)
	}
	own := []string{"MANIFEST.new", "log-1", "base-1-1", "base-9-1"}
	begun := []string{"log-3", "base-2-1", "base-7-3"}
	foreign := []string{"log-", "log-01", "log-2.gz", "log-notes.txt", "log-6", "log-20261123", "log-0", "log--1",
		"log-+1", "base-1", "base-1-6", "base-line", "base-01-1", "base-0-1", "base-1-1-1",
		"base-1-99999999999999999999", "MANIFEST.old", "notes"}
	for _, name := range slices.Concat(own, begun, foreign) {
		var content []byte
		if slices.Contains(begun, name) {
			content = []byte("not of an index")
		}
		files.Write("idx/"+name, content)
	}
	s, err := openStore(env, files.Path("idx"), smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range own {
		if files.Has("idx/" + name) {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range begun {
		if !files.Has("idx/" + name) {
			t.Errorf("%s was removed, and does not begin as a file of an index", name)
		}
	}
	// Writing to the index must not replace them either.
	observeRecord(s, []Key{{Lo: 1}, {Lo: 2}})
	if err := s.Fold(Position{Records: 51}); err != nil {
		t.Fatal(err)
	}
	for _, name := range begun {
		if string(files.Read("idx/"+name)) != "not of an index" {
			t.Errorf("%s was replaced", name)
		}
	}
	if !files.Has("idx/log-4") {
		t.Error("the log is another one")
	}
	for _, name := range foreign {
		if !files.Has("idx/" + name) {
			t.Errorf("%s was removed", name)
		}
	}
}
