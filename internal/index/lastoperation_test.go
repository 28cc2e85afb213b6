package index_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// TestEveryOperationIsTheLast makes each file operation fail in turn, or cuts the power after it.
// The index must then be in the state of the last commit or of the commit that was being made; with
// prepared commits, in the state that the other system has decided on. A reader that cannot ask
// finds that state or the one before it.
func TestEveryOperationIsTheLast(t *testing.T) {
	for name, prepares := range map[string]bool{"commits": false, "prepared commits": true} {
		t.Run(name, func(t *testing.T) {
			for _, loses := range []bool{false, true} {
				endAtEveryOperation(t, prepares, loses)
			}
		})
	}
}

func newLedger(prepares bool) *ledger {
	if !prepares {
		return nil
	}
	return &ledger{map[string]bool{}}
}

func (l *ledger) clone() *ledger {
	if l == nil {
		return nil
	}
	return &ledger{maps.Clone(l.counts)}
}

// A start is the state in which a run starts.
type start struct {
	run        uint64
	operations int // in earlier runs
	done       int // commits that count
	files      *storetest.Saved
	ledger     *ledger
}

// starts returns the states in which the runs of a life start, so that a run can be repeated
// without those before it.
func starts(t *testing.T, files *storetest.Machine, l *ledger) (list []start) {
	done := 0
	for number := uint64(1); number <= lastRun; number++ {
		list = append(list, start{number, files.Operations, done, files.Save(), l.clone()})
		if err := run(files, l, number, func() { done++ }); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func endAtEveryOperation(t *testing.T, prepares, loses bool) {
	want, _ := states(t, newLedger(prepares))
	random := rand.New(rand.NewPCG(1, 2))
	files, after, step := storetest.New(t), storetest.New(t), 1
	from := starts(t, files, newLedger(prepares))
	known := map[string]finding{}
	if testing.Short() {
		step = 5
	}
	for n := 1; ; n += step {
		if len(from) > 1 && n > from[1].operations {
			from = from[1:]
		}
		files.Return(from[0].files)
		files.FailAt, files.Dead = n-from[0].operations, loses
		l, done := from[0].ledger.clone(), from[0].done
		_ = life(files, l, from[0].run, func() { done++ })
		if files.Operations < files.FailAt {
			return
		}
		files.FailAt, files.Dead = 0, false
		left := files.All()
		if loses {
			left = files.Left(storetest.Losses[n%len(storetest.Losses)], random)
		}
		allowed := want[done:min(done+2, len(want))]
		key := fmt.Sprint(storetest.Sum(left), l)
		f, isKnown := known[key] // after many operations, nothing has changed
		if !isKnown {
			after.Restore(left)
			f = find(after, l)
			known[key] = f
		}
		if prepares {
			allowed = want[done : done+1]
			if !errors.Is(f.unread, index.ErrNoIndex) &&
				(f.unread != nil || !slices.Contains(want[max(0, done-1):done+1], f.read)) {
				t.Fatalf("operation %d was the last (power lost: %t) after %d commits, then a reader finds\n%s, %v", n,
					loses, done, f.read, f.unread)
			}
		}
		if f.failed != nil || !slices.Contains(allowed, f.state) {
			t.Fatalf("operation %d was the last (power lost: %t) after %d commits, then it is found as\n%s, %v", n,
				loses, done, f.state, f.failed)
		}
	}
}

// A finding is what a reader finds in an index, and what is found after the next writer has opened
// it.
type finding struct {
	read   string
	unread error
	state  string
	failed error
}

func find(files *storetest.Machine, l *ledger) (f finding) {
	if l != nil {
		f.read, f.unread = found(files)
	}
	f.state, f.failed = reopened(files, l)
	return f
}
