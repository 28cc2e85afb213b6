package bloomlsh

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// faultyLives are of indexes whose generations are all kept, and of one that has forgotten some of
// them before it is compacted.
var faultyLives = map[string]Params{
	"grows": smallParams,
	"forgets": {Bands: 2, Capacity: 100, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullGrow, KeepGenerations: 3},
}

// life is what a small index goes through: creation, commits by frames and by folds, growth, late
// commits, reopening, compaction. It calls committed after each commit that has succeeded, and
// stops at the first error.
func life(files *storetest.Machine, p Params, committed func(x *Index, p Position)) error {
	stream, keys, env := &keyStream{9}, make([]Key, p.Bands), testEnvironment(lifeMinLog)
	records := uint64(0)
	for run, commits := range [][]int{{5, 0, 30}, {1, 300}, {40}} {
		s, err := openStore(env, files.Path("idx"), p, nil)
		if err != nil {
			return err
		}
		for _, n := range commits {
			for range n {
				records++
				stream.fill(keys)
				if _, err := observeRecord(s, keys); err != nil {
					return errors.Join(err, s.Close())
				}
			}
			position := Position{Records: records, Meta: []byte{byte(run)}}
			if err := s.Commit(position); err != nil {
				return errors.Join(err, s.Close())
			}
			committed(s.index, position)
		}
		stream.fill(keys)
		records++
		observeRecord(s, keys) // not to be committed
		if err := s.Close(); err != nil {
			return err
		}
	}
	return compact(env, files.Path("idx"), index.Undo{})
}

const lifeMinLog = 3000

// lifeStates are the digests of the index after each commit; the first digest is of a new index.
func lifeStates(t *testing.T, p Params) (states []string) {
	x := mustNew(t, p)
	states = []string{digest(x, Position{})}
	files := storetest.New(t)
	if err := life(files, p,
		func(x *Index, p Position) { states = append(states, digest(x, p)) }); err != nil {
		t.Fatal(err)
	}
	m := baseNames(files)
	if len(m) != 3 {
		t.Fatalf("the life leads to base files %v", m)
	}
	return states
}

// reopened returns the state that an index is found in.
func reopened(files *storetest.Machine, p Params) (string, error) {
	s, err := openStore(testEnvironment(1<<30), files.Path("idx"), p, nil)
	if err != nil {
		return "", err
	}
	defer s.Abandon()
	return digest(s.index, s.Committed()), nil
}

// Each operation on files fails in turn; the program gives up. The index is then found as the last
// commit that succeeded left it, or as the one that failed would have.
func TestEveryOperationFails(t *testing.T) {
	for name, p := range faultyLives {
		t.Run(name, func(t *testing.T) { failEveryOperation(t, p) })
	}
}

func failEveryOperation(t *testing.T, p Params) {
	states := lifeStates(t, p)
	files := storetest.New(t)
	for n := 1; ; n++ {
		files.Restore(nil)
		files.FailAt = n
		done := 0
		err := life(files, p, func(*Index, Position) { done++ })
		if files.Operations < n {
			break
		}
		files.FailAt = 0
		state, openErr := reopened(files, p)
		if openErr != nil {
			t.Fatalf("operation %d failed (%v), then the index does not open: %v", n, err, openErr)
		}
		if !slices.Contains(states[done:min(done+2, len(states))], state) {
			t.Fatalf("operation %d failed (%v) after %d commits, then the index is found as\n%s", n, err, done, state)
		}
		if err != nil && !errors.Is(err, storetest.ErrInjected) {
			t.Fatalf("operation %d failed, reported is %v", n, err)
		}
	}
}

// The machine loses power at each operation in turn: names and sectors that were not flushed are
// there or not, at random.
func TestPowerLossAtEveryOperation(t *testing.T) {
	for name, p := range faultyLives {
		t.Run(name, func(t *testing.T) { losePowerAtEveryOperation(t, p) })
	}
}

func losePowerAtEveryOperation(t *testing.T, p Params) {
	states := lifeStates(t, p)
	random := rand.New(rand.NewPCG(1, 2))
	tries := 20
	if hurried() {
		tries = 2
	}
	files, after := storetest.New(t), storetest.New(t)
	for n := 1; ; n++ {
		files.Restore(nil)
		files.FailAt, files.Dead = n, true
		done := 0
		life(files, p, func(*Index, Position) { done++ })
		if files.Operations < n {
			break
		}
		for try := range tries {
			loss := storetest.Some
			if try < len(storetest.Losses) {
				loss = storetest.Losses[try]
			}
			after.Restore(files.Left(loss, random))
			if err := verify(testEnvironment(1<<30), after.Path("idx")); err != nil && !errors.Is(err, ErrNoIndex) {
				t.Fatalf("power lost at operation %d, leaving %s, then verify says: %v", n, loss.Name, err)
			}
			state, err := reopened(after, p)
			if err != nil {
				t.Fatalf("power lost at operation %d, leaving %s, then the index does not open: %v", n, loss.Name, err)
			}
			if !slices.Contains(states[done:min(done+2, len(states))], state) {
				t.Fatalf("power lost at operation %d after %d commits, leaving %s, then the index is found as\n%s", n,
					done, loss.Name, state)
			}
		}
	}
}

// After a failed write nothing more is written, and nothing is retried.
func TestStoreStopsAfterFailure(t *testing.T) {
	files := storetest.New(t)
	s, err := openStore(testEnvironment(1<<30), files.Path("idx"), smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := []Key{{Lo: 1}, {Lo: 2}}
	observeRecord(s, keys)
	files.FailAt = files.Operations + 2 // the flush of the log
	if err := s.Commit(Position{}); !errors.Is(err, storetest.ErrInjected) {
		t.Fatalf("commit: %v", err)
	}
	before := files.Operations
	if err := s.Commit(Position{}); !errors.Is(err, storetest.ErrInjected) {
		t.Errorf("second commit: %v", err)
	}
	if _, err := observeRecord(s, keys); !errors.Is(err, storetest.ErrInjected) {
		t.Errorf("observe: %v", err)
	}
	if files.Operations != before {
		t.Errorf("%d operations after the failure", files.Operations-before)
	}
}
