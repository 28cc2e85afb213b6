package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runFile is where a raw file of a measurement stands, as documents and comments name it: those of
// bench leave its name out.
var runFile = regexp.MustCompile(`runs/(\d{4}-\d\d-\d\d-[\w./-]*)`)

// TestRawFilesOfFiguresAreThere keeps documents from quoting a measurement whose raw file has gone.
func TestRawFilesOfFiguresAreThere(t *testing.T) {
	named := 0
	for _, path := range proseAndCode(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range runFile.FindAllStringSubmatch(string(text), -1) {
			named++
			raw := filepath.Join("bench/runs", strings.TrimRight(match[1], "."))
			if _, err := os.Stat(raw); err != nil {
				t.Errorf("%s names %s: %v", path, raw, err)
			}
		}
	}
	if named == 0 {
		t.Error("no document names a raw file: the expression is wrong")
	}
}
