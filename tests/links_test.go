package tests

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shown = regexp.MustCompile(`!\[[^\]]*\]\(([^):\s]+)\)`)

// TestImages checks that each picture of a page is there, that each is shown somewhere, and that
// drawings are XML and have colours for dark pages.
func TestImages(t *testing.T) {
	used := map[string]bool{}
	for page, text := range markdown(t) {
		for _, match := range shown.FindAllStringSubmatch(text, -1) {
			image := filepath.Join(filepath.Dir(page), match[1])
			if _, err := os.Stat(image); err != nil {
				t.Errorf("%s shows %s, which is not there", page, image)
			}
			used[image] = true
		}
	}
	images, err := filepath.Glob("docs/images/*")
	if err != nil || len(images) == 0 {
		t.Fatal(images, err)
	}
	for _, image := range images {
		if !used[image] {
			t.Errorf("no page shows %s", image)
		}
		if filepath.Ext(image) == ".svg" {
			checkDrawing(t, image)
		}
	}
}

func checkDrawing(t *testing.T, image string) {
	text, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<title>", "<desc>", "prefers-color-scheme: dark"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s has no %s", image, part)
		}
	}
	decoder := xml.NewDecoder(strings.NewReader(string(text)))
	for err == nil {
		_, err = decoder.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("%s: %v", image, err)
	}
}

// markdown has the text of every page of the repository, by its path.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, path := range proseAndCode(t) {
		if filepath.Ext(path) != ".md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages[path] = string(text)
	}
	return pages
}
