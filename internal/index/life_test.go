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

// A section of these tests has numbered notes in a log, of which its state is the number. It can
// begin a new log, in place of the one before or beside it.
type section struct {
	name  string // of its logs, before a number
	of    *index.Writer
	log   *framelog.Writer
	notes int
	logs  int // the number of its newest log
}

func (s *section) Name() string { return s.name }

func (s *section) State() ([]byte, error) {
	return fmt.Appendf(nil, "%d %d", s.notes, s.logs), nil
}

func header() framelog.Header { return framelog.Header{Holds: "tests", Version: 1} }

func (s *section) logName(number int) string { return fmt.Sprintf("%s-%d", s.name, number) }

// open goes on with what the last commit says, or begins.
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

// next begins another log: "" has the one before go on to count, "keep" keeps it for undo, and
// "drop" gives it up.
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

// sections are what the index of these tests has.
func sections() []*section { return []*section{{name: "exact"}, {name: "day"}} }

func environment() index.Environment {
	env := index.System
	env.MinLog = 700 // some commits fold
	return env
}

func open(files *storetest.Machine) (*index.Writer, error) {
	w, err := index.OpenWriter(environment(), files.Path("idx"), nil)
	if err != nil {
		return nil, err
	}
	if _, exists := w.Parameters(); exists {
		err = w.Load(index.NoBase{}, index.VerifyFrames)
	} else {
		err = w.Create([]index.Parameter{{Name: "a", Value: "b"}}, index.NoBase{}, index.Position{})
	}
	if err != nil {
		return nil, errors.Join(err, w.Abandon())
	}
	return w, nil
}

// life has three runs with commits, logs that are kept or given up, and an end that is not
// committed. committed is called after each commit that has succeeded.
func life(files *storetest.Machine, committed func()) error {
	for run := range uint64(3) {
		w, err := open(files)
		if err != nil {
			return err
		}
		if err := live(w, run+1, committed); err != nil {
			return errors.Join(err, w.Close())
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

func live(w *index.Writer, run uint64, committed func()) error {
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
		if before == "none" {
			return nil
		}
		if err := w.Commit(index.Position{Records: run, Meta: []byte{byte(step)}}); err != nil {
			return err
		}
		committed()
	}
	return nil
}

// found is all that a reader finds in the index.
func found(files *storetest.Machine) (state string, err error) {
	err = index.ReadIn(environment(), files.Path("idx"), func(from *index.Snapshot) error {
		c := from.Committed()
		d, err := from.Describe()
		if err != nil {
			return err
		}
		state = fmt.Sprintf("run %d, %q\n", c.Records, c.Meta)
		for _, s := range sections() {
			state += fmt.Sprintf("%s: %s\n", s.name, c.State(s.name))
		}
		for _, f := range d.Files {
			if strings.HasPrefix(f.Name, "log-") {
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
		return from.Verify(environment(), index.VerifyFrames)
	})
	return state, err
}

// states are what is found after each commit of a life, the first before any.
func states(t *testing.T) (list []string, whole *storetest.Machine) {
	files := storetest.New(t)
	note := func() {
		state, err := found(files)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, state)
	}
	w, err := open(files)
	if err != nil {
		t.Fatal(err)
	}
	note()
	if err := errors.Join(w.Close(), life(files, note)); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(files.Names("idx"), func(name string) bool { return strings.HasPrefix(name, "undo-") }) {
		t.Fatalf("nothing was folded: %v", files.Names("idx"))
	}
	return list, files
}

// reopened is what is found after the next program that writes has opened the index.
func reopened(files *storetest.Machine) (string, error) {
	w, err := open(files)
	if err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return found(files)
}

// Each operation on files fails in turn, or is the last before the power is lost. The index is then
// found as the last commit left it, or as the one that was being made would have.
func TestEveryOperationIsTheLast(t *testing.T) {
	want, _ := states(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, loses := range []bool{false, true} {
		files, after := storetest.New(t), storetest.New(t)
		for n := 1; ; n++ {
			files.Restore(nil)
			files.FailAt, files.Dead = n, loses
			done := 0
			_ = life(files, func() { done++ })
			if files.Operations < n {
				break
			}
			files.FailAt, files.Dead = 0, false
			left := files.All()
			if loses {
				left = files.Left(storetest.Losses[n%len(storetest.Losses)], random)
			}
			after.Restore(left)
			state, err := reopened(after)
			if err != nil || !slices.Contains(want[done:min(done+2, len(want))], state) {
				t.Fatalf("operation %d was the last (power lost: %t) after %d commits, then it is found as\n%s, %v", n,
					loses, done, state, err)
			}
		}
	}
}

// A run is taken back, whatever has happened to logs in it; also if the power is lost in between.
func TestUndoOfLogs(t *testing.T) {
	want, files := states(t)
	before := want[6] // the end of run 2: those of run 3 are taken back
	choose := func(index.Position, int) (func(index.Position) bool, int, error) {
		return func(at index.Position) bool { return at.Records == 2 }, 1, nil
	}
	undo := func(files *storetest.Machine) error {
		left, err := index.UndoIn(environment(), files.Path("idx"), choose)
		return errors.Join(left, err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	try, after := files.Clone(), files.Clone()
	for n := 1; ; n++ {
		try.Restore(files.All())
		try.FailAt, try.Dead = n, true
		_ = undo(try)
		if try.Operations < n {
			break
		}
		after.Restore(try.Left(storetest.Losses[n%len(storetest.Losses)], random))
		state, err := reopened(after)
		if err != nil || state != before && state != want[len(want)-1] {
			t.Fatalf("power lost at operation %d of an undo, then it is found as\n%s, %v", n, state, err)
		}
	}
	if err := undo(files); err != nil {
		t.Fatal(err)
	}
	if state, err := reopened(files); err != nil || state != before {
		t.Errorf("%v, found as\n%s, want\n%s", err, state, before)
	}
}

// Every byte of every file that counts is changed, and every log is cut: Verify says so.
func TestDamageIsFound(t *testing.T) {
	_, files := states(t)
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
	for _, name := range names {
		whole := files.Read("idx/" + name)
		for i := range whole {
			changed := bytes.Clone(whole)
			changed[i] ^= 8
			for _, data := range [][]byte{changed, whole[:i]} {
				damaged.Restore(storetest.With(files.All(), "idx/"+name, data))
				if _, err := found(damaged); err == nil {
					t.Fatalf("%s: byte %d is another one, or missing, and all is said to be whole", name, i)
				}
			}
		}
	}
}
