package bloomlsh

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// A ledger is the other system: it decides about prepared commits, and remembers for which it has
// decided.
type ledger struct{ decided map[uint64]bool }

func (l *ledger) decide(prepared, _ Position) (bool, error) { return l.decided[prepared.Records], nil }

// sharedLife is what an index goes through whose commits are prepared: growth, folds, decisions
// against a commit, reopening. It calls state with each state that counts, and stops at the first
// error. What it does depends on the seed alone.
func sharedLife(files *storetest.Machine, l *ledger, state func(x *Index, p Position)) (err error) {
	stream, keys := &keyStream{9}, make([]Key, smallParams.Bands)
	random := rand.New(rand.NewPCG(5, 6))
	records, env := uint64(0), testEnvironment(lifeMinLog)
	for range 3 {
		s, err := openPrepared(env, files.Path("idx"), smallParams, nil, l.decide)
		if err != nil {
			return err
		}
		for range 5 {
			for range 1 + random.IntN(60) {
				records++
				stream.fill(keys)
				if _, err := observeRecord(s, keys); err != nil {
					return errors.Join(err, s.Close())
				}
			}
			position := Position{Records: records, Meta: []byte("offsets")}
			if err := s.Prepare(position); err != nil {
				return errors.Join(err, s.Close())
			}
			if random.IntN(4) == 0 { // it decides against the commit
				if err := s.Close(); err != nil {
					return err
				}
				if s, err = openPrepared(env, files.Path("idx"), smallParams, nil, l.decide); err != nil {
					return err
				}
				continue
			}
			l.decided[records] = true
			state(s.index, position)
			if err := s.Confirm(); err != nil {
				return errors.Join(err, s.Close())
			}
		}
		records++
		stream.fill(keys)
		observeRecord(s, keys) // not to be committed
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// sharedStates are the digests of the index after each commit that counts; the first digest is of a
// new index.
func sharedStates(t *testing.T) (states []string) {
	states = []string{digest(mustNew(t, smallParams), Position{})}
	files := storetest.New(t)
	if err := sharedLife(files, &ledger{map[uint64]bool{}}, func(x *Index, p Position) {
		states = append(states, digest(x, p))
	}); err != nil {
		t.Fatal(err)
	}
	if m := baseNames(files); len(m) == 0 || len(states) < 8 {
		t.Fatalf("%d states, base files %v", len(states), m)
	}
	return states
}

// reopenedShared returns the state that an index is found in, first by those who cannot ask and
// then by its own program.
func reopenedShared(t *testing.T, files *storetest.Machine, l *ledger) (others, own string, err error) {
	t.Helper()
	if r, err := openReader(testEnvironment(1<<30), files.Path("idx"), smallParams.Bands, nil, 0); err == nil {
		others = digest(r.index, r.Committed())
		r.Close()
	}
	if s, err := openStore(testEnvironment(1<<30), files.Path("idx"), smallParams, nil); err == nil {
		if decided := digest(s.index, s.Committed()); others != "" && decided != others {
			t.Fatalf("a reader finds\n%s, a writer\n%s", others, decided)
		}
		s.Abandon()
	} else if !errors.Is(err, ErrUndecided) {
		return "", "", err
	}
	s, err := openPrepared(testEnvironment(1<<30), files.Path("idx"), smallParams, nil, l.decide)
	if err != nil {
		return "", "", err
	}
	defer s.Abandon()
	return others, digest(s.index, s.Committed()), nil
}

// Whenever an operation on files fails, or the machine loses power, the index is found as of the
// last commit that was decided for, and by those who cannot ask as of that one or the one before.
func TestPreparedCommitsSurviveFaults(t *testing.T) {
	states := sharedStates(t)
	random := rand.New(rand.NewPCG(1, 2))
	step := 1
	if hurried() {
		step = 3
	}
	files, after := storetest.New(t), storetest.New(t)
	for _, dead := range []bool{false, true} {
		for n := 1; ; n += step {
			files.Restore(nil)
			l := &ledger{map[uint64]bool{}}
			files.FailAt, files.Dead = n, dead
			done := 0
			err := sharedLife(files, l, func(*Index, Position) { done++ })
			if files.Operations < n {
				break
			}
			left := files.All()
			if dead {
				left = files.Left(storetest.Losses[n%len(storetest.Losses)], random)
			}
			after.Restore(left)
			others, own, openErr := reopenedShared(t, after, l)
			if openErr != nil {
				t.Fatalf("dead %v: operation %d failed (%v), then the index does not open: %v", dead, n, err, openErr)
			}
			if own != states[done] {
				t.Fatalf("dead %v: operation %d failed (%v) after %d commits, then the index is found as\n%s", dead, n,
					err, done, own)
			}
			if others != "" && !slices.Contains(states[max(0, done-1):done+1], others) {
				t.Fatalf("dead %v: operation %d failed (%v) after %d commits, then others find\n%s", dead, n, err, done,
					others)
			}
		}
	}
}

// A store whose commits are prepared and decided at random is at any time the index of the records
// that count and those since.
func TestPreparedStoreEqualsIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTagged(t)
		files, l := storetest.New(t), &ledger{map[uint64]bool{}}
		env := testEnvironment(rapid.SampledFrom([]int64{1, 2000, 1 << 30}).Draw(t, "minLog"))
		s, err := openPrepared(env, files.Path("idx"), p, testIdentity, l.decide)
		if err != nil {
			t.Fatal(err)
		}
		var counted, pending [][]Key
		position, number := Position{}, uint64(0)
		reopen := func(closed error) {
			if closed != nil {
				t.Fatal(closed)
			}
			pending = nil
			if s, err = openPrepared(env, files.Path("idx"), p, testIdentity, l.decide); err != nil {
				t.Fatal(err)
			}
			want, _ := New(p)
			defer want.Close()
			for _, keys := range counted {
				observeRecord(want, keys)
			}
			if got, want := digest(s.index, s.Committed()), digest(want, position); got != want {
				t.Fatalf("reopened:\n%s, want\n%s", got, want)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"observe": func(t *rapid.T) {
				keys := drawRecord(t, p.Bands)
				if _, err := observeRecord(s, keys); errors.Is(err, ErrFull) {
					t.Skip("full")
				} else if err != nil {
					t.Fatal(err)
				}
				pending = append(pending, keys)
			},
			"prepare": func(t *rapid.T) {
				number++
				next := Position{Records: number, Meta: []byte("offsets")}
				if err := s.Prepare(next); err != nil {
					t.Fatal(err)
				}
				if _, err := observeRecord(s, drawRecord(t, p.Bands)); !errors.Is(err, ErrUndecided) {
					t.Fatalf("a record is observed while a commit is undecided: %v", err)
				}
				if l.decided[number] = rapid.Bool().Draw(t, "decided for"); l.decided[number] {
					counted, position = append(counted, pending...), next
				}
				switch crash := rapid.Bool().Draw(t, "crash"); {
				case crash:
					reopen(s.Abandon())
				case !l.decided[number]:
					reopen(s.Close())
				default:
					if err := s.Confirm(); err != nil {
						t.Fatal(err)
					}
				}
				pending = nil
			},
			"commit": func(t *rapid.T) {
				number++
				position = Position{Records: number}
				if err := s.Commit(position); err != nil {
					t.Fatal(err)
				}
				counted, pending = append(counted, pending...), nil
			},
			"close":   func(t *rapid.T) { reopen(s.Close()) },
			"abandon": func(t *rapid.T) { reopen(s.Abandon()) },
			"verify": func(t *rapid.T) {
				if err := verify(env, files.Path("idx")); err != nil {
					t.Fatal(err)
				}
			},
		})
		s.Abandon()
	})
}

// Who cannot ask does not write to an index that is undecided, and changes nothing of it.
func TestUndecidedIndexIsNotWritten(t *testing.T) {
	files, l := storetest.New(t), &ledger{map[uint64]bool{}}
	env := testEnvironment(1 << 30)
	s, err := openPrepared(env, files.Path("idx"), smallParams, nil, l.decide)
	if err != nil {
		t.Fatal(err)
	}
	observeRecord(s, []Key{{Lo: 1}, {Lo: 2}})
	if err := errors.Join(s.Prepare(Position{Records: 1}), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(env, files.Path("idx"), smallParams, nil); !errors.Is(err, ErrUndecided) {
		t.Errorf("open: %v", err)
	}
	if err := compact(env, files.Path("idx"), index.Undo{}); !errors.Is(err, ErrUndecided) {
		t.Errorf("compact: %v", err)
	}
	failure := errors.New("nobody answers")
	if _, err := openPrepared(env, files.Path("idx"), smallParams, nil,
		func(_, _ Position) (bool, error) { return false, failure }); !errors.Is(err, failure) {
		t.Errorf("open, while the other system is away: %v", err)
	}
	l.decided[1] = true
	s, err = openPrepared(env, files.Path("idx"), smallParams, nil, l.decide)
	if err != nil || s.Committed().Records != 1 {
		t.Errorf("open: %v, %v", s, err)
	}
}
