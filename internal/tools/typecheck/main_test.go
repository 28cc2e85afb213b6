package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The errors of a system are found, and those of another are not.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module m\n\ngo 1.26\n",
		"a.go":         "package m\n\nvar A int\n",
		"a_darwin.go":  "package m\n\nvar B int = \"b\"\n\nfunc C()\n",
		"a_windows.go": "package m\n\nfunc C()\n",
		"c_windows.s":  "// it defines C\n",
		"a_386.go":     "package m\n\nconst D int = 1 << 40\n",
		"a_test.go":    "package m\n\nvar _ string = A\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string][]string{
		"linux/amd64":   {},
		"darwin/arm64":  {"\"b\"", "C has no body"},
		"windows/amd64": {},
		"linux/386":     {"1 << 40"},
	} {
		errors, err := check(dir, system, []string{"./..."}, false)
		if err != nil || len(errors) != len(want) {
			t.Errorf("%s: %q, %v", system, errors, err)
			continue
		}
		for i := range want {
			if !strings.Contains(errors[i], want[i]) {
				t.Errorf("%s: %q", system, errors[i])
			}
		}
	}
	if errors, err := check(dir, "linux/amd64", []string{"./..."}, true); err != nil || len(errors) != 1 {
		t.Errorf("with tests: %q, %v", errors, err)
	}
}
