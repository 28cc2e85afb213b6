package bloomlsh

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// runUndo returns an Undo for positions whose Meta holds the number of a run and whether it is
// complete.
func runUndo(runs int) index.Undo {
	return index.Undo{Runs: runs, Run: func(p Position) uint64 {
		if len(p.Meta) == 0 {
			return 0
		}
		return uint64(p.Meta[0])
	}}
}

func atRun(run uint64, complete byte) Position { return Position{Meta: []byte{byte(run), complete}} }

// afterRun returns a function that finds the end of a run; 0 means the very beginning.
func afterRun(run uint64) func(Position) bool {
	return func(p Position) bool {
		if len(p.Meta) == 0 {
			return run == 0
		}
		return p.Meta[0] == byte(run) && p.Meta[1] == 1
	}
}

// undoRun runs over some records, with commits in between, and completes the run.
func undoRun(t *rapid.T, s *Store, stream *keyStream, second *int64, run uint64, undo index.Undo) {
	s.KeepForUndo(undo)
	bands := s.index.params.Bands
	for range rapid.IntRange(0, 2).Draw(t, "checkpoints") {
		undoObserve(t, s, stream, second, bands)
		must(t, s.Commit(atRun(run, 0)))
	}
	undoObserve(t, s, stream, second, bands)
	must(t, s.Commit(atRun(run, 1)))
}

func undoObserve(t *rapid.T, s *Store, stream *keyStream, second *int64, bands int) {
	n := rapid.IntRange(0, 70).Draw(t, "records")
	keys := make([]Key, n*bands)
	var times []int64
	for i := range n {
		stream.fill(keys[i*bands : (i+1)*bands])
		*second += rapid.Int64Range(-day, 2*day).Draw(t, "later")
		times = append(times, *second)
	}
	if !s.index.params.hasClock() {
		times = nil
	}
	_, err := s.ObserveAt(times, nil, keys, make([]uint16, n))
	must(t, err)
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestUndo checks that the last runs can be undone, however the index was folded.
func TestUndo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]Params{smallParams, forgetting, timely}).Draw(t, "parameters")
		files := storetest.New(t)
		env := testEnvironment(rapid.SampledFrom([]int64{1, 2000, 1 << 30}).Draw(t, "minLog"))
		undo := runUndo(rapid.IntRange(1, 3).Draw(t, "undo runs"))
		stream, second := &keyStream{5}, int64(1_700_000_000)
		s, err := openStore(env, files.Path("idx"), p, nil)
		must(t, err)
		ends := []string{digest(s.index, s.Committed())}
		must(t, s.Close())
		for run := uint64(1); run <= uint64(rapid.IntRange(1, 6).Draw(t, "runs")); run++ {
			s, err := openStore(env, files.Path("idx"), p, nil)
			must(t, err)
			undoRun(t, s, stream, &second, run, undo)
			ends = append(ends, digest(s.index, s.Committed()))
			if rapid.Bool().Draw(t, "killed") {
				must(t, s.Abandon())
			} else {
				must(t, s.Close())
			}
			if rapid.IntRange(0, 3).Draw(t, "compact") == 0 {
				must(t, compact(env, files.Path("idx"), undo))
			}
		}
		last := uint64(len(ends) - 1)
		back := uint64(rapid.IntRange(1, min(undo.Runs, int(last))).Draw(t, "back"))
		choose := func(Position, int) (func(Position) bool, int, error) { return afterRun(last - back), int(back), nil }
		must(t, undoTo(env, files.Path("idx"), choose))
		checkUndone(t, files, p, ends[last-back])

		s, err = openStore(env, files.Path("idx"), p, nil) // followed by another run, which can be undone, too
		must(t, err)
		undoRun(t, s, stream, &second, last-back+1, undo)
		must(t, s.Close())
		must(t, undoTo(env, files.Path("idx"), choose))
		checkUndone(t, files, p, ends[last-back])
	})
}

func checkUndone(t *rapid.T, files *storetest.Machine, p Params, want string) {
	t.Helper()
	if err := verify(testEnvironment(1<<30), files.Path("idx")); err != nil {
		t.Fatal(err)
	}
	got, err := reopened(files, p)
	if err != nil || got != want {
		t.Fatalf("the index is found as\n%s, %v, want\n%s", got, err, want)
	}
}

// TestUndoTooFar checks that going back to a state that is no longer kept is rejected and changes
// nothing.
func TestUndoTooFar(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1)
	for run := range uint64(4) {
		s, err := openStore(env, files.Path("idx"), smallParams, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.KeepForUndo(runUndo(1))
		keys := []Key{{Lo: run + 1}, {Lo: run + 9}}
		if _, err := observeRecord(s, keys); err != nil {
			t.Fatal(err)
		}
		err = errors.Join(s.Commit(atRun(run+1, 1)), s.Close(), compact(env, files.Path("idx"), runUndo(1)))
		if err != nil {
			t.Fatal(err)
		}
	}
	before := files.Names("idx")
	err := undoTo(env, files.Path("idx"), func(Position, int) (func(Position) bool, int, error) {
		return afterRun(1), 2, nil
	})
	if !errors.Is(err, index.ErrNoUndo) {
		t.Errorf("error %v, want %v", err, index.ErrNoUndo)
	}
	if after := files.Names("idx"); !slices.Equal(before, after) {
		t.Errorf("the files are %v, were %v", after, before)
	}
	kept := 0
	for _, name := range before {
		if strings.HasPrefix(name, "undo-") {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("%d states are kept to take one run back: %v", kept, before)
	}
}
