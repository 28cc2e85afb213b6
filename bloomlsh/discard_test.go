package bloomlsh

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// TestDiscardLeavesNoIndex checks that a crash at any point of Discard leaves either the index or
// none, and that a new one can then be created.
func TestDiscardLeavesNoIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	files, after := storetest.New(t), storetest.New(t)
	for crash := range 100 {
		files.Restore(nil)
		s, err := openStore(testEnvironment(1<<20), files.Path("idx"), smallParams, nil)
		if err != nil {
			t.Fatal(err)
		}
		files.FailAt, files.Dead = files.Operations+crash%7, true
		_ = s.Discard()
		after.Restore(files.Left(storetest.Some, random))
		env := testEnvironment(1 << 20)
		if err := verify(env, after.Path("idx")); err != nil && !errors.Is(err, ErrNoIndex) {
			t.Errorf("crash %d: %v, of %v", crash, err, after.Names("idx"))
		}
		other := smallParams
		other.Bands++
		if s, err := openStore(env, after.Path("idx"), other, nil); err == nil {
			s.Abandon()
		} else if !errors.Is(err, ErrParameters) {
			t.Errorf("crash %d: %v, of %v", crash, err, after.Names("idx"))
		}
	}
}

// TestDiscardKeepsCommits checks that an index with a commit stays.
func TestDiscardKeepsCommits(t *testing.T) {
	files, env := storetest.New(t), testEnvironment(1<<20)
	s, err := openStore(env, files.Path("idx"), smallParams, nil)
	if err == nil {
		err = errors.Join(s.Commit(Position{Records: 1}), s.Discard())
	}
	if err != nil {
		t.Fatal(err)
	}
	if d, err := describe(env, files.Path("idx")); err != nil || d.Last.Records != 1 {
		t.Error(d, err)
	}
}
