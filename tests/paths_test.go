package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPathsOfCommandsAreThere checks the packages and folders that commands in the Makefile, in
// scripts and in documents name: a package that moves would otherwise be missed until one of them
// runs. Documents name folders of bench/ as well.
func TestPathsOfCommandsAreThere(t *testing.T) {
	files := []string{"Makefile", ".ci/run", ".github/workflows/ci.yaml", "README.md", "CONTRIBUTING.md",
		"ARCHITECTURE.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "bench/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	line := regexp.MustCompile(`(?:go|\(GO\)) (?:test|vet|run|build)\b[^\n` + "`" + `]*`)
	path := regexp.MustCompile(`(?:^|[\s])\./([\w/-]*\w)`)
	wrapped := regexp.MustCompile(`\\\n|(go (?:test|run|vet))\n`) // a command goes on in the next line
	named := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		joined := wrapped.ReplaceAllString(string(text), "$1 ")
		for _, command := range line.FindAllString(joined, -1) {
			command, _, _ = strings.Cut(command, "&&")
			for _, match := range path.FindAllStringSubmatch(command, -1) {
				named++
				if !isThere(match[1]) && !isThere(filepath.Join("bench", match[1])) {
					t.Errorf("%s names ./%s, which is not there: %s", file, match[1], command)
				}
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d paths were found: the patterns miss them", named)
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
