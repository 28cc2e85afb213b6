package store

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stateOf returns a directory with files, and a state of it: a has 3 bytes, and old is kept.
func stateOf(t *testing.T, files map[string]string) (*Dir, State) {
	path := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir, State{
		Files: []Listed{{"a", 3}}, Owns: func(name string) bool { return !strings.Contains(name, ".") },
		Keeps: func(name string) bool { return name == "old" },
	}
}

func checkFiles(t *testing.T, dir *Dir, want map[string]string) {
	t.Helper()
	names, err := dir.List()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir.Path(), name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text)
	}
	if !maps.Equal(got, want) {
		t.Errorf("there is %v, want %v", got, want)
	}
}

func TestState(t *testing.T) {
	all := map[string]string{"a": "abcde", "b": "b", "old": "12", "x.txt": "foreign"}
	dir, s := stateOf(t, all)
	if kept, err := s.Kept(dir); err != nil || len(kept) != 1 || kept[0] != (Listed{"old", 2}) {
		t.Errorf("kept: %v, %v", kept, err)
	}
	for _, missing := range []Listed{{"a", 6}, {"c", 0}} {
		if s := (State{Files: []Listed{missing}}); s.Exists(dir) {
			t.Errorf("%v exists", missing)
		}
	}
	if !s.Exists(dir) {
		t.Error("what there is does not exist")
	}
	if err := s.Cut(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveOthers(dir); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, dir, map[string]string{"a": "abc", "old": "12", "x.txt": "foreign"})
}

// An undo never changes the file that a reader may have open. A copy for another state is removed.
func TestUndoOfAState(t *testing.T) {
	dir, s := stateOf(t, map[string]string{"a": "abcde"})
	reader, err := dir.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := s.BeginUndo(dir); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, dir, map[string]string{"a": "abcde", "a.undo": "abc"})
	later := s
	later.Files = []Listed{{"a", 5}}
	if err := later.FinishUndo(dir); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, dir, map[string]string{"a": "abcde"})
	for range 2 { // what is undone stays undone
		if err := s.BeginUndo(dir); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishUndo(dir); err != nil {
			t.Fatal(err)
		}
		checkFiles(t, dir, map[string]string{"a": "abc"})
	}
	var text [5]byte
	if _, err := reader.ReadAt(text[:], 0); err != nil || string(text[:]) != "abcde" {
		t.Errorf("the reader finds %q, %v", text, err)
	}
}
