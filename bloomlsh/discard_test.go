package bloomlsh

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A crash at any point of Discard leaves an index or none, and a new one can be made there.
func TestDiscardLeavesNoIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for crash := range 100 {
		files := newMemFiles()
		s, err := openStore(testEnvironment(files, 1<<20), "idx", smallParams, nil)
		if err != nil {
			t.Fatal(err)
		}
		files.failAt, files.dead = files.operations+crash%7, true
		_ = s.Discard()
		after := files.afterCrash(random)
		env := testEnvironment(after, 1<<20)
		left := slices.Collect(maps.Keys(after.entries))
		if _, err := verify(env, "idx"); err != nil && !errors.Is(err, ErrNoIndex) {
			t.Errorf("crash %d: %v, of %v", crash, err, left)
		}
		other := smallParams
		other.Bands++
		if _, err := openStore(env, "idx", other, nil); err != nil && !errors.Is(err, ErrParameters) {
			t.Errorf("crash %d: %v, of %v", crash, err, left)
		}
	}
}

// An index to which something was committed stays.
func TestDiscardKeepsCommits(t *testing.T) {
	env := testEnvironment(newMemFiles(), 1<<20)
	s, err := openStore(env, "idx", smallParams, nil)
	if err == nil {
		err = errors.Join(s.Commit(Position{Records: 1}), s.Discard())
	}
	if err != nil {
		t.Fatal(err)
	}
	if d, err := verify(env, "idx"); err != nil || d.Committed.Records != 1 {
		t.Error(d, err)
	}
}
