package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A package is concurrent by itself, by its tests, or by a package of the module that it or its
// tests import.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module m\n\ngo 1.26\n",
		"alone/a.go":        "package alone\n\nimport \"sync\"\n\nvar Mutex sync.Mutex\n",
		"alone/a_test.go":   "package alone\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Run(\"\", TestA) }\n",
		"starts/a.go":       "package starts\n\nfunc A() { go A() }\n",
		"waits/a.go":        "package waits\n\nimport \"sync\"\n\nfunc A(w *sync.WaitGroup) { w.Go(func() {}) }\n",
		"imports/a.go":      "package imports\n\nimport \"m/starts\"\n\nvar A = starts.A\n",
		"deep/a.go":         "package deep\n\nimport \"m/imports\"\n\nvar A = imports.A\n",
		"serves/a.go":       "package serves\n\nimport \"net/http\"\n\nvar A http.Client\n",
		"tests/a.go":        "package tests\n",
		"tests/a_test.go":   "package tests\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Parallel() }\n",
		"outside/a.go":      "package outside\n",
		"outside/a_test.go": "package outside_test\n\nimport _ \"m/starts\"\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	got, err := concurrent(dir, []string{"./..."})
	want := []string{"m/deep", "m/imports", "m/outside", "m/serves", "m/starts", "m/tests", "m/waits"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	write(t, filepath.Join(dir, "broken/a.go"), "package broken\n\nimport _ \"m/none\"\n")
	if got, err := concurrent(dir, []string{"./..."}); err == nil {
		t.Errorf("with a package that cannot be read: %q", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
