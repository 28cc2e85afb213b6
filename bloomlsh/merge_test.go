package bloomlsh

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The union of indexes that observed parts of a stream has the bits of one that observed all of it.
func TestMergeEqualsOneIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
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
				if err := compact(env, dir); err != nil {
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
		want.duplicates = s.index.duplicates // between the parts nobody has counted, nor what they have in common
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
	if err := errors.Join(compact(env, "stored-a"), compact(env, "stored-b")); err != nil {
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
			if err := compact(env, "idx"); err != nil {
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
