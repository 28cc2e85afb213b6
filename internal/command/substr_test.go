package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestSubstrOfAnInputThatGrows appends a record between the two readings: an error, and no panic.
func TestSubstrOfAnInputThatGrows(t *testing.T) {
	object := `{"text":"` + strings.Repeat("again and again ", 20) + `"}`
	finder, err := substr.NewFinder(substr.Options{MinLength: 20, TempDir: filepath.Clean(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	defer finder.Close()
	field, err := record.ParseField("text")
	if err != nil {
		t.Fatal(err)
	}
	literals := record.NewLiterals(record.JSONLines([]record.Field{field}))
	texts := recordTexts{fields: []string{"text"}, literals: literals, maxRecord: 1 << 20}
	first := &passageCollector{recordTexts: texts, finder: finder}
	second := &passageEditor{recordTexts: texts, finder: finder}
	r := stream.Editable{Body: []byte(object)}
	if _, _, err := first.collect(nil, r); err != nil {
		t.Fatal(err)
	}
	if err := finder.Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, changed, err := second.edit(nil, r); err != nil || !changed {
		t.Fatalf("%v, changed: %v", err, changed)
	}
	_, _, err = second.edit(nil, r)
	if err == nil || !strings.Contains(err.Error(), "the input has grown since it was first read") {
		t.Errorf("%v", err)
	}
}
