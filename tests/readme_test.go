package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the console examples of README.md and of docs and compares what they print;
// only times may differ.
func TestReadme(t *testing.T) {
	pages := []string{"README.md", "docs/start.md", "docs/reference/formats.md", "docs/reference/files.md",
		"docs/reference/overlap.md", "docs/concepts/lshbloom.md"}
	for _, recipe := range []string{"best-copy", "boilerplate", "chats", "code", "corpora", "daily",
		"evaluation-sets", "languages", "logs", "products", "shards", "two-billion", "web"} {
		pages = append(pages, "docs/recipes/"+recipe+".md")
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) { runExamples(t, page) })
	}
}

func runExamples(t *testing.T, page string) {
	examples := consoleExamples(t, page)
	if len(examples) < 3 {
		t.Fatalf("only %d examples found", len(examples))
	}
	work := t.TempDir()
	if err := os.Symlink(absolute(t, "testdata"), filepath.Join(work, "testdata")); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(absolute(t, os.Args[0]), filepath.Join(bin, "mithril-stream")); err != nil {
		t.Fatal(err)
	}
	times := regexp.MustCompile(`[0-9.]+(ms|s)\b`)
	for _, e := range examples {
		cmd := exec.Command("bash", "-o", "pipefail", "-c", e.command)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		got, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("$ %s\n%s%v", e.command, got, err)
		} else if want := e.output; times.ReplaceAllString(string(got), "TIME") != times.ReplaceAllString(want,
			"TIME") {
			t.Errorf("$ %s\nprints\n%swhere %s has\n%s", e.command, got, page, want)
		}
	}
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
