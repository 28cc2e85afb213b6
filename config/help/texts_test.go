package help

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestTextsAreNamed holds that each text is named by one help tag, and that each tag names a text.
func TestTextsAreNamed(t *testing.T) {
	var files []string
	for _, folder := range []string{"..", "../../internal/spec"} {
		found, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(found) == 0 {
			t.Fatal("there are no flags in", folder, err)
		}
		files = append(files, found...)
	}
	named := map[string]int{}
	tag := regexp.MustCompile(`help:"(@[^"]*)"`)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range tag.FindAllStringSubmatch(string(content), -1) {
			named[match[1]]++
			if textOf(match[1]) == "" {
				t.Errorf("%s: the tag %s names no text", file, match[1])
			}
		}
	}
	for key := range texts() {
		if named["@"+key] != 1 {
			t.Errorf("%d help tags name the text %s", named["@"+key], key)
		}
	}
	if len(texts()) < 100 {
		t.Errorf("only %d texts were read", len(texts()))
	}
}
