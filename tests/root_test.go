package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRoot finds files that a run by hand has left in the root of the repository.
func TestRoot(t *testing.T) {
	known := []string{"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "NOTICE",
		"README.md", "SECURITY.md", "bench", "bloomlsh", "config", "dedup", "deploy", "docs", "go.mod", "go.sum",
		"internal", "llms.txt", "main.go", "python", "sa", "sketch", "stream", "testdata", "tests"}
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range strings.Fields(string(ignored)) {
		known = append(known, strings.Trim(pattern, "/"))
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		isKnown := slices.ContainsFunc(known, func(pattern string) bool {
			matched, _ := filepath.Match(pattern, entry.Name())
			return matched
		})
		if !isKnown && entry.Name()[0] != '.' {
			t.Errorf("%s is in the root: if it belongs there, add it to this test or to .gitignore", entry.Name())
		}
	}
}
