package tests

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the console examples of README.md and of every page of docs, and compares what
// they print; only times may differ. The page about SQL needs DuckDB: TestIntegrationSQL runs it.
func TestReadme(t *testing.T) {
	pages := append(pagesWithExamples(t, "docs"), "README.md")
	if len(pages) < 24 {
		t.Fatalf("only %d pages have examples: %v", len(pages), pages)
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) { runExamples(t, page) })
	}
}

// pagesWithExamples returns the pages below dir, in lexical order, that have a console example.
func pagesWithExamples(t *testing.T, dir string) (pages []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" || path == "docs/recipes/sql.md" {
			return err
		}
		if text, err := os.ReadFile(path); err != nil {
			return err
		} else if bytes.Contains(text, []byte("```console\n")) {
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func runExamples(t *testing.T, page string) {
	examples := consoleExamples(t, page)
	if len(examples) == 0 {
		t.Fatal("no example begins with \"$ \"")
	}
	work := t.TempDir()
	if err := os.Symlink(absolute(t, "testdata"), filepath.Join(work, "testdata")); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(absolute(t, os.Args[0]), filepath.Join(bin, "mithril-stream")); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		cmd := exec.Command("bash", "-o", "pipefail", "-c", e.command)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		got, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("$ %s\n%s%v", e.command, got, err)
		} else if !printedAs(string(got), e.output) {
			t.Errorf("$ %s\nprints\n%swhere %s has\n%s", e.command, got, page, e.output)
		}
	}
}

// printedAs reports whether got is what a page shows: times may differ, and a line "..." stands for
// any lines.
func printedAs(got, shown string) bool {
	times := regexp.MustCompile(`[0-9.]+(ms|s)\b`)
	pattern := regexp.QuoteMeta(times.ReplaceAllString(shown, "TIME"))
	pattern = regexp.MustCompile(`(?m)^\\\.\\\.\\\.\n`).ReplaceAllString(pattern, "(.*\n)+")
	return regexp.MustCompile("^" + pattern + "$").MatchString(times.ReplaceAllString(got, "TIME"))
}

type example struct{ command, output string }

// consoleExamples returns the commands of all ```console blocks, which run one after the other in
// one folder. A command begins after "$ " and continues on lines that begin with "> ".
func consoleExamples(t *testing.T, path string) []example {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var examples []example
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				examples = append(examples, example{command: strings.TrimSpace(command)})
				continue
			}
			last := &examples[len(examples)-1]
			if more, ok := strings.CutPrefix(line, "> "); ok && last.output == "" {
				last.command += "\n" + strings.TrimSuffix(more, "\n")
			} else {
				last.output += line
			}
		}
	}
	return examples
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
