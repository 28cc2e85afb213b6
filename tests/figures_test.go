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

// TestRawFilesAreCited keeps measurements that no document quotes any more from staying: a raw file
// is cited by a document, or by a raw file that is.
func TestRawFilesAreCited(t *testing.T) {
	raw, err := filepath.Glob("bench/runs/*/*")
	if err != nil || len(raw) == 0 {
		t.Fatal(len(raw), err)
	}
	cited := map[string]bool{}
	open := proseAndCode(t)
	for len(open) > 0 {
		path := open[0]
		open = open[1:]
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range raw {
			run, _ := filepath.Rel("bench/runs", file)
			beside := filepath.Dir(path) == filepath.Dir(file) && strings.Contains(string(text), filepath.Base(file))
			if !cited[file] && (beside || strings.Contains(string(text), run)) {
				cited[file] = true
				open = append(open, file)
			}
		}
	}
	for _, file := range raw {
		if !cited[file] {
			t.Errorf("no document cites %s: cite it, or remove it", file)
		}
	}
}
