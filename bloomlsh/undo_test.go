package bloomlsh

import (
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// runUndo reads a position whose Meta is the number of a run, and whether it is complete.
func runUndo(runs int) Undo {
	return Undo{Runs: runs, Run: func(p Position) uint64 {
		if len(p.Meta) == 0 {
			return 0
		}
		return uint64(p.Meta[0])
	}}
}

func atRun(run uint64, complete byte) Position { return Position{Meta: []byte{byte(run), complete}} }

// afterRun finds the end of a run; 0 is the beginning of all.
func afterRun(run uint64) func(Position) bool {
	return func(p Position) bool {
		if len(p.Meta) == 0 {
			return run == 0
		}
		return p.Meta[0] == byte(run) && p.Meta[1] == 1
	}
}

// undoRun is a run of some records, with commits on its way, that counts in the end.
func undoRun(t *rapid.T, s *Store, stream *keyStream, second *int64, run uint64, undo Undo) {
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

// The last runs can be taken back, however the index was folded; also if the power is lost at any
// operation of that: then it has happened or not.
func TestUndo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]Params{smallParams, forgetting, timely}).Draw(t, "parameters")
		files := newMemFiles()
		env := testEnvironment(files, rapid.SampledFrom([]int64{1, 2000, 1 << 30}).Draw(t, "minLog"))
		undo := runUndo(rapid.IntRange(1, 3).Draw(t, "undo runs"))
		stream, second := &keyStream{5}, int64(1_700_000_000)
		s, err := openStore(env, "idx", p, nil)
		must(t, err)
		ends := []string{digest(s.index, s.Committed())}
		must(t, s.Close())
		for run := uint64(1); run <= uint64(rapid.IntRange(1, 6).Draw(t, "runs")); run++ {
			s, err := openStore(env, "idx", p, nil)
			must(t, err)
			undoRun(t, s, stream, &second, run, undo)
			ends = append(ends, digest(s.index, s.Committed()))
			if rapid.Bool().Draw(t, "killed") {
				must(t, s.release())
			} else {
				must(t, s.Close())
			}
			if rapid.IntRange(0, 3).Draw(t, "compact") == 0 {
				must(t, compact(env, "idx", undo))
			}
		}
		last := uint64(len(ends) - 1)
		back := uint64(rapid.IntRange(1, min(undo.Runs, int(last))).Draw(t, "back"))
		choose := func(Position, int) (func(Position) bool, int, error) { return afterRun(last - back), int(back), nil }
		undoWithoutPower(t, env, files, p, choose, ends[last], ends[last-back])
		must(t, undoTo(env, "idx", Undoing{Choose: choose}))
		checkUndone(t, files, p, ends[last-back])

		s, err = openStore(env, "idx", p, nil) // and another run follows, which can be taken back, too
		must(t, err)
		undoRun(t, s, stream, &second, last-back+1, undo)
		must(t, s.Close())
		must(t, undoTo(env, "idx", Undoing{Choose: choose}))
		checkUndone(t, files, p, ends[last-back])
	})
}

func checkUndone(t *rapid.T, files *memFiles, p Params, want string) {
	t.Helper()
	if _, err := verify(testEnvironment(files, 1<<30), "idx"); err != nil {
		t.Fatal(err)
	}
	got, err := reopened(files, p)
	if err != nil || got != want {
		t.Fatalf("the index is found as\n%s, %v, want\n%s", got, err, want)
	}
}

// undoWithoutPower loses the power at each operation of an undo in turn. The index is then as it
// was before or as it is to be, and the undo can be given again.
func undoWithoutPower(
	t *rapid.T, env environment, files *memFiles, p Params,
	choose func(Position, int) (func(Position) bool, int, error),
	before, after string,
) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; ; n++ {
		try := files.clone()
		try.failAt, try.dead = try.operations+n, true
		tryEnv := env
		tryEnv.files = try
		undoTo(tryEnv, "idx", Undoing{Choose: choose})
		if try.operations < try.failAt {
			return
		}
		left := try.afterCrash(random)
		state, err := reopened(left.clone(), p)
		if err != nil || state != before && state != after {
			t.Fatalf("power lost at operation %d, then the index is found as\n%s, %v, want\n%s or\n%s", n, state, err,
				before, after)
		}
		if _, err := verify(testEnvironment(left.clone(), 1<<30), "idx"); err != nil {
			t.Fatalf("power lost at operation %d: %v", n, err)
		}
		if _, err := inspect(testEnvironment(left.clone(), 1<<30), "idx"); err != nil {
			t.Fatalf("power lost at operation %d: %v", n, err)
		}
		if state == before {
			tryEnv.files = left
			must(t, undoTo(tryEnv, "idx", Undoing{Choose: choose}))
			checkUndone(t, left, p, after)
		}
	}
}

// What is no longer kept is refused, and nothing is changed.
func TestUndoTooFar(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1)
	for run := range uint64(4) {
		s, err := openStore(env, "idx", smallParams, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.KeepForUndo(runUndo(1))
		keys := []Key{{Lo: run + 1}, {Lo: run + 9}}
		if _, err := observeRecord(s, keys); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Commit(atRun(run+1, 1)), s.Close(), compact(env, "idx", runUndo(1))); err != nil {
			t.Fatal(err)
		}
	}
	before := slices.Sorted(maps.Keys(files.entries))
	err := undoTo(env, "idx", Undoing{Choose: func(Position, int) (func(Position) bool, int, error) {
		return afterRun(1), 2, nil
	}})
	if !errors.Is(err, ErrNoUndo) {
		t.Errorf("error %v, want %v", err, ErrNoUndo)
	}
	if after := slices.Sorted(maps.Keys(files.entries)); !slices.Equal(before, after) {
		t.Errorf("the files are %v, were %v", after, before)
	}
	kept := 0
	for name := range files.entries {
		if _, _, ok := parseUndoName(filepath.Base(name)); ok {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("%d states are kept to take one run back: %v", kept, before)
	}
}

// One operation that fails, of an undo or of a run before it, is no reason to give up what is kept:
// the undo can be given again.
func TestUndoWithErrors(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1<<30)
	var ends []string
	for run := range uint64(2) {
		s, err := openStore(env, "idx", smallParams, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.KeepForUndo(runUndo(1))
		if _, err := observeRecord(s, []Key{{Lo: run + 1}, {Lo: run + 9}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(atRun(run+1, 1)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, digest(s.index, s.Committed()))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := compact(env, "idx", runUndo(1)); err != nil {
		t.Fatal(err)
	}
	choose := func(Position, int) (func(Position) bool, int, error) { return afterRun(1), 1, nil }
	undo := func(env environment) error { return undoTo(env, "idx", Undoing{Choose: choose}) }
	for name, command := range map[string]func(environment) error{
		"undo": undo,
		"open": func(env environment) error {
			s, err := openStore(env, "idx", smallParams, nil)
			if err != nil {
				return err
			}
			return s.Close()
		},
	} {
		for n := 1; ; n++ {
			try := files.clone()
			try.failAt = try.operations + n
			env := testEnvironment(try, 1<<30)
			err := command(env)
			if try.operations < try.failAt {
				break
			}
			if errors.Is(err, ErrNoUndo) {
				t.Errorf("%s, operation %d fails: %v", name, n, err)
			}
			if state, _ := reopened(try.clone(), smallParams); state != ends[0] {
				if err := undo(env); err != nil {
					t.Errorf("operation %d of %s has failed, and the next undo fails: %v", n, name, err)
				}
			}
			if state, err := reopened(try, smallParams); err != nil || state != ends[0] {
				t.Errorf("operation %d of %s has failed, and after an undo the index is %s, %v", n, name, state, err)
			}
		}
	}
}
