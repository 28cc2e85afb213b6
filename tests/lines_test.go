package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The most columns of a line of prose (documents, comments) and of one of code; a tab is 4.
const proseColumns, codeColumns = 100, 120

// TestLines keeps lines short enough to be read beside each other. Exempt are tables, links, tags
// of fields, directives, generated files, and what is in testdata or was measured.
func TestLines(t *testing.T) {
	for _, path := range proseAndCode(t) {
		if long := longLines(t, path); len(long) > 0 {
			t.Errorf("%s: lines of more than %d columns of prose or %d of code: %v",
				path, proseColumns, codeColumns, long)
		}
	}
}

// TestMerged finds what a merge has left in a file where both sides had changed it.
func TestMerged(t *testing.T) {
	marker := regexp.MustCompile(`(?m)^(<{7}|>{7}) .*$`)
	for _, path := range proseAndCode(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if line := marker.Find(text); line != nil {
			t.Errorf("%s has the line %q", path, line)
		}
	}
}

// proseAndCode are the files of the repository that the limits are for.
func proseAndCode(t *testing.T) (paths []string) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path == "bench/runs" || len(path) > 1 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case slices.Contains([]string{".md", ".go", ".s", ".h"}, filepath.Ext(path)):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

var (
	link = regexp.MustCompile(`\]\([^)]*\)|https?://\S+`)
	raw  = regexp.MustCompile("`[^`]*`") // a tag of a field cannot be broken
)

// longLines are the numbers of the lines of a file that are too long.
func longLines(t *testing.T, path string) (numbers []int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(string(text), "// Code generated") {
		return nil
	}
	fenced := false
	for i, line := range strings.Split(string(text), "\n") {
		bare, limit := strings.TrimSpace(line), codeColumns
		comment := strings.HasPrefix(bare, "//")
		switch {
		case filepath.Ext(path) != ".md":
			if strings.HasPrefix(bare, "//go:") || strings.HasPrefix(bare, "//export") {
				continue
			}
			if comment {
				limit = proseColumns
			} else {
				line = raw.ReplaceAllString(line, "")
			}
		case strings.HasPrefix(bare, "```"):
			fenced = !fenced
		case strings.HasPrefix(bare, "|"):
			continue // a table
		case fenced && !strings.HasPrefix(line, "$ ") && strings.HasPrefix(bare, "mithril-stream: "):
			continue // what the program prints
		case !fenced && !strings.HasPrefix(line, "    "):
			limit = proseColumns
		}
		if limit == proseColumns {
			line = link.ReplaceAllString(line, "")
		}
		if columns(line) > limit {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func columns(line string) int { return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") }
