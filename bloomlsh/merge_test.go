package bloomlsh

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The union of indexes that observed parts of a stream has the bits of one that observed all of it.
func TestMergeEqualsOneIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.KeepGenerations, p.Generations = 0, 0 // such an index is not merged, or only in part
		p.Remember = RememberAll
		indexes, most := rapid.IntRange(1, 3).Draw(t, "indexes"), 30
		p.Capacity = 100
		if indexes == 1 && p.OnFull == OnFullGrow {
			p.Capacity, most = 5, 100 // several generations
		}
		env := testEnvironment(newMemFiles(), 1<<30)
		want, _ := New(p)
		defer want.Close()
		var dirs []string
		for i := range indexes {
			dir := fmt.Sprint("part", i)
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
				if err := compact(env, dir, Undo{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := merge(env, dirs, "all"); err != nil {
			t.Fatal(err)
		}
		s, err := openStore(env, "all", p, testIdentity)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		want.duplicates = s.index.duplicates // duplicates between the parts were not counted
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
	env := testEnvironment(newMemFiles(), 1<<30)
	make := func(dir string, p Params, seed uint64, records int) {
		s, err := openStore(env, dir, p, nil)
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
	if err := errors.Join(compact(env, "stored-a", Undo{}), compact(env, "stored-b", Undo{})); err != nil {
		t.Fatal(err)
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
		if err := merge(env, c.dirs, c.out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("merge %v to %s: %v, want %s", c.dirs, c.out, err, c.want)
		}
	}
	if err := merge(env, []string{"a", "same"}, "out"); err != nil {
		t.Errorf("two indexes of the same records: %v", err)
	}
}

// The merge of one index is a copy of it, with all its generations.
func TestMergeOfOne(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		env := testEnvironment(newMemFiles(), 1<<30)
		p := smallParams
		p.Capacity = 5
		fill(t, env, p, 50, 1)
		if compacted {
			if err := compact(env, "idx", Undo{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := merge(env, []string{"idx"}, "copy"); err != nil {
			t.Fatal(err)
		}
		var digests []string
		for _, dir := range []string{"idx", "copy"} {
			s, err := openStore(env, dir, p, nil)
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

// A merge that is broken off anywhere, by an operation that fails or by a loss of power, can be run
// again; or it was complete.
func TestMergeCanBeRunAgain(t *testing.T) {
	p := smallParams
	p.Capacity = 5
	prepared := newMemFiles()
	fill(t, testEnvironment(prepared, 1<<30), p, 50, 1)
	mergedDigest := func(files *memFiles) string {
		s, err := openStore(testEnvironment(files, 1<<30), "all", p, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return digest(s.index, Position{})
	}
	whole := prepared.clone()
	if err := merge(testEnvironment(whole, 1<<30), []string{"idx"}, "all"); err != nil {
		t.Fatal(err)
	}
	want := mergedDigest(whole)
	random := rand.New(rand.NewPCG(3, 4))
	for n := 1; ; n++ {
		files := prepared.clone()
		files.operations, files.failAt, files.dead = 0, n, true
		merge(testEnvironment(files, 1<<30), []string{"idx"}, "all")
		if files.operations < n {
			break
		}
		for try := range 4 {
			after := files.afterCrash(random)
			if try == 0 { // only the program was killed
				after = files.clone()
				after.failAt = 0
				clear(after.locked)
			}
			err := merge(testEnvironment(after, 1<<30), []string{"idx"}, "all")
			if err != nil {
				t.Fatalf("operation %d, try %d: run again: %v", n, try, err)
			}
			if got := mergedDigest(after); got != want {
				t.Fatalf("operation %d, try %d: %s, want %s", n, try, got, want)
			}
			if left := after.indexFiles("all"); len(left) != len(whole.indexFiles("all")) {
				t.Fatalf("operation %d, try %d: there is %v", n, try, left)
			}
		}
	}
}

// TestMergeLeavesAUsedIndex: an index that has lost its MANIFEST is no merge that was cut off, if
// anything was added after the merge.
func TestMergeLeavesAUsedIndex(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1<<30)
	fill(t, env, smallParams, 50, 1)
	if err := merge(env, []string{"idx"}, "all"); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(env, "all", smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit(Position{}), s.Close()); err != nil {
		t.Fatal(err)
	}
	delete(files.entries, "all/MANIFEST")
	before := files.indexFiles("all")
	if err := merge(env, []string{"idx"}, "all"); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	if left := files.indexFiles("all"); len(left) != len(before) {
		t.Errorf("of %v there is %v", before, left)
	}
}

// Nor is one that was folded after the merge.
func TestMergeLeavesALostIndex(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1<<30)
	fill(t, env, smallParams, 50, 1)
	if err := errors.Join(merge(env, []string{"idx"}, "all"), compact(env, "all", Undo{})); err != nil {
		t.Fatal(err)
	}
	delete(files.entries, "all/MANIFEST")
	before := files.indexFiles("all")
	if err := merge(env, []string{"idx"}, "all"); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	if left := files.indexFiles("all"); len(left) != len(before) || files.entries["all/log-2"] == nil {
		t.Errorf("of %v there is %v", before, left)
	}
}

// A merge that is complete can be given again, also when its result has been used since: that holds
// what was merged. It is another merge if a source is another one, or knows more than before.
func TestACompleteMergeIsRepeated(t *testing.T) {
	env := testEnvironment(newMemFiles(), 1<<30)
	fill(t, env, smallParams, 50, 1)
	merged := []string{"idx"}
	for range 2 {
		if err := merge(env, merged, "all"); err != nil {
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
	observeIn("all")
	if err := merge(env, merged, "all"); err != nil {
		t.Error(err)
	}
	if err := merge(env, []string{"idx", "idx"}, "all"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("other sources: %v", err)
	}
	observeIn("idx")
	if err := merge(env, merged, "all"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a source that has grown: %v", err)
	}
}

// Opening an index removes what it has left itself, and nothing that only has a similar name.
func TestOnlyOwnLeftoversAreRemoved(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1<<30)
	fill(t, env, smallParams, 50, 1)
	if err := compact(env, "idx", Undo{}); err != nil {
		t.Fatal(err)
	}
	own := []string{"MANIFEST.new", "log-1", "base-1-1", "base-9-1"}
	begun := []string{"log-3", "base-2-1", "base-7-3"}
	foreign := []string{"log-", "log-01", "log-2.gz", "log-notes.txt", "log-6", "log-20261123", "log-0", "log--1",
		"log-+1", "base-1", "base-1-6", "base-line", "base-01-1", "base-0-1", "base-1-1-1",
		"base-1-99999999999999999999", "MANIFEST.old", "notes"}
	for _, name := range slices.Concat(own, begun, foreign) {
		f, err := in(files, "idx").CreateFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(begun, name) {
			f.WriteAt([]byte("not of an index"), 0)
		}
		f.Close()
	}
	s, err := openStore(env, "idx", smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range own {
		if files.entries["idx/"+name] != nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range begun {
		if files.entries["idx/"+name] == nil {
			t.Errorf("%s was removed, and does not begin as a file of an index", name)
		}
	}
	// Nor are they replaced by what the index writes.
	observeRecord(s, []Key{{Lo: 1}, {Lo: 2}})
	if err := s.fold(Position{Records: 51}); err != nil {
		t.Fatal(err)
	}
	for _, name := range begun {
		if node := files.entries["idx/"+name]; node == nil || string(node.data) != "not of an index" {
			t.Errorf("%s was replaced", name)
		}
	}
	if s.manifest.log != "log-4" {
		t.Errorf("the log is %s", s.manifest.log)
	}
	for _, name := range foreign {
		if files.entries["idx/"+name] == nil {
			t.Errorf("%s was removed", name)
		}
	}
}
