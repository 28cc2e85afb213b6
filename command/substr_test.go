package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/formats"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestSubstrOfAnInputThatGrows appends a record between the two readings: an error with its place,
// and no panic.
func TestSubstrOfAnInputThatGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	record := `{"text":"` + strings.Repeat("again and again ", 20) + "\"}\n"
	if err := os.WriteFile(path, []byte(record), 0o666); err != nil {
		t.Fatal(err)
	}
	finder, err := substr.NewFinder(substr.Options{MinLength: 20, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer finder.Close()
	fields, err := formats.ParseFields([]string{"text"})
	if err != nil {
		t.Fatal(err)
	}
	sources, err := openSources(t.Context(), &config.Substr{
		Files: []string{path}, Output: filepath.Join(t.TempDir(), "out"),
	}, files.Streams{})
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{ctx: context.Background(), literals: stream.NewLiterals(fields), finder: finder}
	if err := sources.each(e.ctx, files.LineTaker{Most: 1 << 20, Whole: e.collect, Part: e.collectLong}); err != nil {
		t.Fatal(err)
	}
	if err := finder.Find(e.ctx); err != nil {
		t.Fatal(err)
	}
	e.text = finder.Texts() // as after the last record of the first reading
	err = e.edit([]byte(record), path, 2)
	if err == nil || !strings.Contains(err.Error(), "in.jsonl:2: the input has grown since it was first read") {
		t.Errorf("%v", err)
	}
}
