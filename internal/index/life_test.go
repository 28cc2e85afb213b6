package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// A section of these tests keeps numbered notes in a log; its state is their number. It can start a
// new log, which replaces the previous one or is added to it.
type section struct {
	name  string // prefix of the names of its logs
	of    *index.Writer
	log   *framelog.Writer
	notes int
	logs  int // number of its newest log
}

func (s *section) Name() string { return s.name }

func (s *section) State() ([]byte, error) {
	return fmt.Appendf(nil, "%d %d", s.notes, s.logs), nil
}

func header() framelog.Header { return framelog.Header{Holds: "tests", Version: 1} }

func (s *section) logName(number int) string { return fmt.Sprintf("%s-%d", s.name, number) }

// open continues from the last commit, or starts over.
func (s *section) open(of *index.Writer) (err error) {
	s.of = of
	of.Add(s)
	state := of.LastCommit().State(s.name)
	if state == nil {
		s.notes, s.logs = 0, 0
		return s.next("")
	}
	if _, err := fmt.Sscan(string(state), &s.notes, &s.logs); err != nil {
		return err
	}
	log, length, err := of.OpenLog(s.logName(s.logs))
	if err == nil {
		err = s.appendTo(log, length)
	}
	return err
}

func (s *section) appendTo(log *index.Log, length int64) (err error) {
	if s.log, err = framelog.NewWriter(log, length, header()); err == nil {
		log.FlushBy(s.log.Flush)
	}
	return err
}

// next starts another log. With before "" the previous log still counts; "keep" keeps it for undo,
// and "drop" removes it.
func (s *section) next(before string) error {
	if before != "" {
		if err := s.of.DropLog(s.logName(s.logs), before == "keep"); err != nil {
			return err
		}
	}
	s.logs++
	log, err := s.of.CreateLog(s.logName(s.logs))
	if err == nil {
		err = s.appendTo(log, 0)
	}
	return err
}

func (s *section) note() error {
	s.notes++
	return s.log.Note(fmt.Appendf(nil, "%s %d", s.name, s.notes))
}

// sections returns the sections of the index in these tests.
func sections() []*section { return []*section{{name: "exact"}, {name: "day"}} }

func environment() index.Environment {
	env := index.System
	env.MinLog = 700 // some commits fold
	return env
}

// A ledger is the other system that decides on prepared commits. It records those that it has
// approved. With a nil ledger, commits count at once.
type ledger struct{ counts map[string]bool }

// of returns the name of a commit.
func (*ledger) of(at index.Position) string { return fmt.Sprintf("%d %x", at.Records, at.Meta) }

func (l *ledger) decide() index.Decide {
	if l == nil {
		return nil
	}
	return func(prepared, _ index.Position) (bool, error) { return l.counts[l.of(prepared)], nil }
}

// errAgainst means that the ledger has decided against a commit.
var errAgainst = errors.New("the commit does not count")

// commit makes a commit. committed is called once it counts.
func (l *ledger) commit(w *index.Writer, at index.Position, committed func()) error {
	if l == nil {
		err := w.Commit(at)
		if err == nil {
			committed()
		}
		return err
	}
	if err := w.Prepare(at); err != nil {
		return err
	}
	if at.Records == 2 && at.Meta[0] == 1 {
		return errAgainst
	}
	l.counts[l.of(at)] = true
	committed()
	return w.Confirm()
}

func open(files *storetest.Machine, l *ledger) (*index.Writer, *tally, error) {
	w, err := index.OpenWriter(environment(), files.Path("idx"), l.decide())
	if err != nil {
		return nil, nil, err
	}
	base := &tally{of: w}
	if _, exists := w.Parameters(); exists {
		err = w.Load(base, base.load)
	} else {
		err = w.Create([]index.Parameter{{Name: "a", Value: "b"}}, base, index.Position{})
	}
	if err != nil {
		return nil, nil, errors.Join(err, w.Abandon())
	}
	return w, base, nil
}

// lastRun is the number of the last run of a life, from 1.
const lastRun = 4

// life performs the runs from the given one on, with commits, with logs that are kept or dropped,
// and with uncommitted data at the end. It calls committed after each commit that counts.
func life(files *storetest.Machine, l *ledger, from uint64, committed func()) error {
	for number := from; number <= lastRun; number++ {
		if err := run(files, l, number, committed); err != nil {
			return err
		}
	}
	return nil
}

func run(files *storetest.Machine, l *ledger, number uint64, committed func()) error {
	w, base, err := open(files, l)
	if err != nil {
		return err
	}
	if err := live(w, base, number, l, committed); err != nil && err != errAgainst {
		return errors.Join(err, w.Close())
	}
	return w.Close()
}

func live(w *index.Writer, base *tally, run uint64, l *ledger, committed func()) error {
	w.KeepForUndo(index.Undo{Runs: 1, Run: func(at index.Position) uint64 { return at.Records }})
	all := sections()
	for _, s := range all {
		if err := s.open(w); err != nil {
			return err
		}
	}
	for step, before := range []string{"", "keep", "drop", "none"} {
		for i, s := range all {
			if before != "none" && (step+i+int(run))%2 == 0 {
				if err := s.next(before); err != nil {
					return err
				}
			}
			for range step + i + 1 {
				if err := s.note(); err != nil {
					return err
				}
			}
		}
		if err := base.enter(step * 25); err != nil || before == "none" {
			return err
		}
		if err := l.commit(w, index.Position{Records: run, Meta: []byte{byte(step)}}, committed); err != nil {
			return err
		}
	}
	return nil
}

// found returns everything that a reader finds in the index.
func found(files *storetest.Machine) (state string, err error) {
	err = index.ReadIn(environment(), files.Path("idx"), func(from *index.Snapshot) error {
		c := from.Committed()
		d, err := from.Describe()
		if err != nil {
			return err
		}
		base := new(tally)
		if err := base.load(from); err != nil {
			return err
		}
		state = fmt.Sprintf("run %d, %q, %d numbers\n", c.Records, c.Meta, len(base.numbers))
		for _, s := range sections() {
			state += fmt.Sprintf("%s: %s\n", s.name, c.State(s.name))
		}
		for _, f := range d.Files {
			if strings.HasPrefix(f.Name, "log-") || strings.HasPrefix(f.Name, "base-") {
				continue
			}
			file, length, err := from.OpenLog(f.Name)
			if err != nil {
				return err
			}
			text, err := io.ReadAll(io.NewSectionReader(file, 0, length))
			state += fmt.Sprintf("%s: %x\n", f.Name, text)
			if err := errors.Join(err, file.Close()); err != nil || int64(len(text)) != length {
				return fmt.Errorf("%s has %d bytes in place of %d: %v", f.Name, len(text), length, err)
			}
		}
		return from.Verify(environment(), verifyTally)
	})
	return state, err
}

// states returns what is found after each commit of a life, starting with the state before the
// first.
func states(t *testing.T, l *ledger) (list []string, whole *storetest.Machine) {
	files := storetest.New(t)
	note := func() {
		state, err := reopened(files.Clone(), l) // readers do not see undecided commits
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, state)
	}
	w, _, err := open(files, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	note()
	if err := life(files, l, 1, note); err != nil {
		t.Fatal(err)
	}
	names := files.Names("idx")
	for _, begin := range []string{"undo-", "base-1-", "base-2-"} {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, begin) }) {
			t.Fatalf("nothing begins with %s: %v", begin, names)
		}
	}
	return list, files
}

// reopened returns what is found after the next writer has opened the index.
func reopened(files *storetest.Machine, l *ledger) (string, error) {
	w, _, err := open(files, l)
	if err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	if err := nothingLeftOver(files); err != nil {
		return "", err
	}
	return found(files)
}

// nothingLeftOver returns an error if there is a file that the index does not use.
func nothingLeftOver(files *storetest.Machine) error {
	return index.ReadIn(environment(), files.Path("idx"), func(from *index.Snapshot) error {
		d, err := from.Describe()
		needed := []string{"MANIFEST", "LOCK"}
		for _, f := range slices.Concat(d.Files, d.Kept) {
			needed = append(needed, f.Name)
		}
		for _, name := range files.Names("idx") {
			if !slices.Contains(needed, name) {
				err = errors.Join(err, fmt.Errorf("%s is left over", name))
			}
		}
		return err
	})
}

// TestUndoOfLogs takes a run back, whatever it has done to logs. If a file operation of the undo
// fails, or the power is cut after it, the undo has either happened or not, and can be repeated.
func TestUndoOfLogs(t *testing.T) {
	want, files := states(t, nil)
	before, now := want[9], want[len(want)-1] // the end of run 3, since run 4 is undone
	choose := func(index.Position, int) (func(index.Position) bool, int, error) {
		return func(at index.Position) bool { return at.Records == 3 }, 1, nil
	}
	undo := func(files *storetest.Machine) error {
		left, err := index.UndoIn(environment(), files.Path("idx"), choose)
		return errors.Join(left, err)
	}
	random, step := rand.New(rand.NewPCG(3, 4)), 1
	if testing.Short() {
		step = 5
	}
	all, try, after := files.All(), files.Clone(), files.Clone()
	for _, loses := range []bool{false, true} {
		for n := 1; ; n += step {
			try.Restore(all)
			try.FailAt, try.Dead = n, loses
			_ = undo(try)
			if try.Operations < n {
				break
			}
			left := try.All()
			if loses {
				left = try.Left(storetest.Losses[n%len(storetest.Losses)], random)
			}
			try.FailAt, try.Dead = 0, false
			after.Restore(left)
			state, err := reopened(after, nil)
			if err != nil || state != before && state != now {
				t.Fatalf("operation %d of an undo was the last (power lost: %t), then it is found as\n%s, %v", n, loses,
					state, err)
			}
			if state == before {
				continue
			}
			if err := undo(after); err != nil {
				t.Fatalf("operation %d of an undo was the last (power lost: %t), and the next fails: %v", n, loses, err)
			}
			if state, err := reopened(after, nil); err != nil || state != before {
				t.Fatalf("operation %d of an undo was the last (power lost: %t), and the next leads to\n%s, %v", n,
					loses, state, err)
			}
		}
	}
	if err := undo(files); err != nil {
		t.Fatal(err)
	}
	if state, err := reopened(files, nil); err != nil || state != before {
		t.Errorf("%v, found as\n%s, want\n%s", err, state, before)
	}
}

// TestDamageIsFound changes every byte of every file that counts, and truncates every log: Verify
// must report it. With -short, it is every seventh byte.
func TestDamageIsFound(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	_, files := states(t, nil)
	damaged, names := storetest.New(t), []string{"MANIFEST"}
	err := index.ReadIn(environment(), files.Path("idx"), func(from *index.Snapshot) error {
		d, err := from.Describe()
		for _, f := range d.Files {
			names = append(names, f.Name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := files.All()
	for _, name := range names {
		whole := files.Read("idx/" + name)
		for i := 0; i < len(whole); i += step {
			if i > 100 && i < index.SealedHeader && i%41 > 0 && strings.HasPrefix(name, "base-") {
				continue // zero bytes are checked alike
			}
			changed := bytes.Clone(whole)
			changed[i] ^= 8
			for _, data := range [][]byte{changed, whole[:i]} {
				damaged.Restore(storetest.With(all, "idx/"+name, data))
				if _, err := found(damaged); err == nil {
					t.Fatalf("%s: byte %d is another one, or missing, and all is said to be whole", name, i)
				}
			}
		}
	}
}
