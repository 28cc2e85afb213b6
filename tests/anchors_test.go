package tests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestAnchorsAreThere checks that a link to a heading leads to a heading, from every page and from
// the help.
func TestAnchorsAreThere(t *testing.T) {
	files := slices.Sorted(maps.Keys(markdown(t)))
	files = append(files, "config/flags.go", "config/help.go")
	link := regexp.MustCompile(`\]\(([^)#:\s]*)#([^)\s]+)\)|page \+ "([^"#]*)#([^"]+)"`)
	headings := map[string]map[string]bool{}
	followed := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			to, anchor := filepath.Join(filepath.Dir(file), match[1]), match[2]
			switch {
			case match[4] != "":
				to, anchor = filepath.Join("docs", match[3]), match[4]
			case match[1] == "":
				to = file
			}
			if filepath.Ext(to) != ".md" {
				continue
			}
			followed++
			if headings[to] == nil {
				headings[to] = headingsOf(t, to)
			}
			if !headings[to][anchor] {
				t.Errorf("%s leads to %s#%s, which is no heading there", file, to, anchor)
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d links were followed", followed)
	}
}

// headingsOf are the anchors of the headings of a page, as GitHub makes them.
func headingsOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	withoutLinks := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	anchors := map[string]bool{}
	inCode := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		}
		marks, title, ok := strings.Cut(line, " ")
		if inCode || !ok || marks == "" || strings.Trim(marks, "#") != "" {
			continue
		}
		title = withoutLinks.ReplaceAllString(strings.TrimSpace(title), "$1")
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		for name, i := anchor, 1; ; name, i = fmt.Sprintf("%s-%d", anchor, i), i+1 {
			if !anchors[name] {
				anchors[name] = true
				break
			}
		}
	}
	return anchors
}
