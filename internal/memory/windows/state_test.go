package windows

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/indextest"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
	"github.com/mithril-stream/mithril-stream/stream"
)

var byTime = Params{Keep: 3, ForgetAfter: 200 * time.Second}

func begin(string) (memory.Index, error) { return memorytest.Kinds["fingerprints"].Begin() }

// made is an index with a memory of some windows, and what its commit says.
func made(t *testing.T) (dir string, s *State, stats memory.Stats) {
	t.Helper()
	names := &memory.Names{WithIDs: true}
	dir = t.TempDir()
	w := indextest.Open(t, dir)
	m, err := Open(w, byTime, begin, names, nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.Add(indextest.State{Section: "exact", Bytes: func() ([]byte, error) {
		s, err = m.Commit()
		return []byte("{}"), err
	}})
	m.OfRun(Run{Number: 1, Oldest: 1})
	for i := range 120 {
		if _, err := m.Next([]int64{int64(4 * i)}, 1); err != nil {
			t.Fatal(err)
		}
		sketch := memorytest.Kinds["fingerprints"].Sketch([]int{i, 0})
		if _, err := m.Observe(sketch, make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
		if err := names.Observe(&stream.Decided{Input: "in", Record: uint64(i) + 1, ID: []byte(`"id"`)}); err != nil {
			t.Fatal(err)
		}
	}
	indextest.Commit(t, w)
	stats = m.Stats()
	if err := errors.Join(m.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, s, stats
}

// reopen opens a memory in a state, and leaves its files as they are.
func reopen(t *testing.T, dir string, s *State, stats memory.Stats) error {
	w := indextest.Open(t, dir)
	m, err := Open(w, byTime, begin, &memory.Names{}, s, stats.Records, stats.Entries)
	if err == nil {
		err = m.Close()
	}
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	return err
}

// A commit that says what cannot be is refused before anything is read.
func TestStatesThatCannotBe(t *testing.T) {
	dir, s, stats := made(t)
	if err := reopen(t, dir, s, stats); err != nil || len(s.Remembered) != 3 || len(s.Dropped) != 1 {
		t.Fatalf("%v: %+v", err, s)
	}
	for name, change := range map[string]func(s *State){
		"no window":         func(s *State) { s.Remembered = nil },
		"many":              func(s *State) { s.Remembered = make([]Window, 1<<10) },
		"a gap":             func(s *State) { s.Remembered[1].Number++ },
		"no number":         func(s *State) { s.Remembered[0].Number = 0 },
		"other records":     func(s *State) { s.Remembered[1].First++ },
		"too many records":  func(s *State) { s.Remembered[2].Records = math.MaxUint64 },
		"too many entries":  func(s *State) { s.Remembered[0].Entries = math.MaxUint64 },
		"one entry more":    func(s *State) { s.Remembered[0].Entries-- },
		"an earlier window": func(s *State) { s.Remembered[1].Window = s.Remembered[0].Window },
		"another window":    func(s *State) { s.Clock.Window++ },
		"a clock ahead": func(s *State) {
			s.Clock.Early = make([]windowclock.Early, windowclock.Believed)
		},
		"no clock":          func(s *State) { s.Clock = nil },
		"a window twice":    func(s *State) { s.Dropped[0].To = s.Remembered[0].Number },
		"none dropped":      func(s *State) { s.Dropped[0].To = 0 },
		"dropped in no run": func(s *State) { s.Dropped[0].Run = 0 },
		"dropped twice":     func(s *State) { s.Dropped = append(s.Dropped, s.Dropped[0]) },
	} {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var changed State
		if err := json.Unmarshal(text, &changed); err != nil {
			t.Fatal(err)
		}
		change(&changed)
		err = reopen(t, dir, &changed, stats)
		if !errors.Is(err, memory.ErrCorrupt) || !strings.HasPrefix(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A log that is damaged, missing, short or of another window is named.
func TestDamagedLogs(t *testing.T) {
	for name, change := range map[string]func(path, other string) error{
		"missing": func(path, _ string) error { return os.Remove(path) },
		"short":   func(path, _ string) error { return os.Truncate(path, 100) },
		"empty":   func(path, _ string) error { return os.Truncate(path, 0) },
		"another": func(path, other string) error { return os.Rename(other, path) },
		"changed": func(path, _ string) error {
			text, err := os.ReadFile(path)
			if err == nil {
				text[len(text)/2] ^= 4
				err = os.WriteFile(path, text, 0o600)
			}
			return err
		},
	} {
		for _, of := range []func(*Window) string{(*Window).logName, (*Window).namesName} {
			dir, s, stats := made(t)
			path := filepath.Join(dir, of(&s.Remembered[0]))
			if err := change(path, filepath.Join(dir, of(&s.Remembered[1]))); err != nil {
				t.Fatal(err)
			}
			err := reopen(t, dir, s, stats)
			if !isDamage(err) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s is %s: %v", filepath.Base(path), name, err)
			}
			err = indextest.Verify(dir)
			if name != "another" && !isDamage(err) {
				t.Errorf("%s is %s, and whole: %v", filepath.Base(path), name, err)
			}
		}
	}
}

func isDamage(err error) bool {
	return errors.Is(err, memory.ErrCorrupt) || errors.Is(err, index.ErrCorrupt)
}

// FuzzState: no commit makes a program panic, or read without a bound.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"remembered":[{"number":1,"first":1,"records":2,"entries":1}]}`))
	f.Add([]byte(`{"clock":{"window":3,"ahead":1,"next":4},"remembered":[{"number":1,"first":1,"window":3}],` +
		`"dropped":[{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s State
		if json.Unmarshal(text, &s) != nil {
			return
		}
		if len(s.Remembered) > 0 && s.Check(2, 1) == nil {
			s.Needs("exact-w1")
		}
		if err := reopen(t, t.TempDir(), &s, memory.Stats{Records: 2, Entries: 1}); err == nil {
			t.Fatal("there are no logs, and it opens")
		}
	})
}

func TestNamesOfLogs(t *testing.T) {
	s := &State{Remembered: []Window{{Number: 8}, {Number: 9, Rewritten: 2}},
		Dropped: []Dropped{{From: 3, To: 6, Run: 2, Logs: 4}}}
	for name, want := range map[string]bool{
		"exact-w8": true, "exact-n9": false, "exact-n9-2": true, "exact-w9-1": false, "exact-w10": false,
		"exact-w7": false, "exact-n7": false, "exact-n6": true,
		"exact-w6": false, "exact-w4": true, "exact-n2": false, "exact-w08": false, "exact": false, "exact-1": false,
	} {
		if s.Needs(name) != want {
			t.Errorf("%s is needed: %v", name, !want)
		}
	}
}
