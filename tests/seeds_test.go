package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRowsOfSeedsAreTested is that each row of docs/reference/seeds.md that says what something is
// called here is named by a script, where it runs or where it says what tests it; and that scripts
// name no other rows.
func TestRowsOfSeedsAreTested(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/seeds_*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range regexp.MustCompile(`(?m)^# there: (.*)$`).FindAllStringSubmatch(string(text), -1) {
			named[row[1]] = path
		}
	}
	page, err := os.ReadFile("docs/reference/seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for row := range rowsOf(string(page), "| there | here") {
		rows++
		if named[row] == "" {
			t.Errorf("no script says \"# there: %s\"", row)
		}
		delete(named, row)
	}
	for row, path := range named {
		t.Errorf("%s names a row that docs/reference/seeds.md does not have: %s", path, row)
	}
	if rows < 60 {
		t.Errorf("only %d rows were found", rows)
	}
}

// rowsOf are the first cells of the tables whose head begins so.
func rowsOf(page, head string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		inTable := false
		for line := range strings.Lines(page) {
			switch {
			case strings.HasPrefix(line, head):
				inTable = true
			case !strings.HasPrefix(line, "|"):
				inTable = false
			case inTable && !strings.HasPrefix(line, "|-"):
				cell, _, _ := strings.Cut(strings.ReplaceAll(line[2:], `\|`, "\x00"), " |")
				if !yield(strings.ReplaceAll(cell, "\x00", "|")) {
					return
				}
			}
		}
	}
}
