package identity

import (
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// TestMarkupVersion: an index of texts that were extracted by an earlier rule is neither opened nor
// read.
func TestMarkupVersion(t *testing.T) {
	before := []bloomlsh.Parameter{{Name: "markup", Value: "html"}}
	for name, versioned := range map[string]bool{"none": false, "html-text": false, "markdown": false, "html": true,
		"auto": true} {
		now := ofTexts(name, sketch.Params{})
		version, given := parameter.Value(now, markupVersion)
		if given != versioned || given && version != "2" {
			t.Errorf("%s has version %q", name, version)
		}
		if err := CheckMarkup(now); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if different := parameter.Differences(before, Markup("html"), "here"); len(different) != 1 {
		t.Errorf("an index of an earlier rule differs in %q", different)
	}
	if err := CheckMarkup(before); err == nil || !strings.Contains(err.Error(), "by another rule") {
		t.Errorf("an index of an earlier rule: %v", err)
	}
	if err := CheckMarkup([]bloomlsh.Parameter{{Name: "method", Value: "key"}}); err != nil {
		t.Errorf("an index without markup: %v", err)
	}
}
