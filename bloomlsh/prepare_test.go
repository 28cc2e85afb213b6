package bloomlsh

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// A ledger is the other system. It decides on prepared commits, and records those it has approved.
type ledger struct{ decided map[uint64]bool }

func (l *ledger) decide(prepared, _ Position) (bool, error) { return l.decided[prepared.Records], nil }

// TestPreparedStoreEqualsIndex checks that a store whose commits are prepared and decided at random
// always equals an index of the records that count and those observed since.
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

// TestUndecidedIndexIsNotWritten checks that a program that cannot ask neither writes to nor
// changes an undecided index.
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
