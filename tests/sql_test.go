//go:build integration

package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// duckdb runs the queries of a file, one after the other, and prints what comes as tables of
// Markdown.
const duckdb = `
import duckdb, sys
for query in sys.stdin.read().split("\0"):
    found = duckdb.sql(query)
    print("\0", end="")
    print("| " + " | ".join(found.columns) + " |")
    print("|" + "---|" * len(found.columns))
    for row in found.fetchall():
        print("| " + " | ".join(str(value) for value in row) + " |")
`

// TestIntegrationSQL runs the queries of docs/recipes/sql.md on the outputs that its commands
// write, and compares what comes with the tables that follow them.
func TestIntegrationSQL(t *testing.T) {
	const page = "docs/recipes/sql.md"
	python := os.Getenv("DUCKDB_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import duckdb").Run(); err != nil {
		const what = "there is no DuckDB: pip install duckdb, and name its Python in DUCKDB_PYTHON"
		if os.Getenv("CI") != "" {
			t.Fatal(what)
		}
		t.Skip(what)
	}
	work := t.TempDir()
	if err := os.Symlink(absolute(t, "testdata"), filepath.Join(work, "testdata")); err != nil {
		t.Fatal(err)
	}
	for _, e := range consoleExamples(t, page) {
		cmd := exec.Command("bash", "-c", e.command)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != e.output {
			t.Fatalf("$ %s: %s%v", e.command, out, err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```\n\n((?:\\|[^\n]*\n)+)").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 5 || len(blocks) != strings.Count(string(text), "```sql") {
		t.Fatalf("%d queries have tables", len(blocks))
	}
	var queries []string
	for _, block := range blocks {
		queries = append(queries, block[1])
	}
	cmd := exec.Command(python, "-c", duckdb)
	cmd.Dir, cmd.Stdin, cmd.Stderr = work, strings.NewReader(strings.Join(queries, "\x00")), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range strings.Split(string(out), "\x00")[1:] {
		if got != blocks[i][2] {
			t.Errorf("%s\ngives\n%swhere %s has\n%s", queries[i], got, page, blocks[i][2])
		}
	}
}
