package shards

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// runOf is a run that reads JSON Lines from paths and writes to dir.
func runOf(t *testing.T, paths ...string) Run {
	t.Helper()
	var kept *files.Output
	return Run{
		Records: layout.Settings{Name: "jsonl"}, Paths: paths, Kept: &kept,
		Std: files.Standard().Reading(context.Background(), 0, object.Options{}),
	}
}

// TestNames: files are called after what inputs have not in common, or after their numbers.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name    string
		records uint64
		to      string
		paths   []string
		want    []string
	}{
		{"", 0, "", []string{"a/x/1.jsonl.gz", "a/y/1.jsonl.gz"}, []string{"x/1.jsonl.gz", "y/1.jsonl.gz"}},
		{"", 0, "csv", []string{"a/x/1.jsonl.gz", "a/y/1.jsonl.gz"}, []string{"x/1.csv", "y/1.csv"}},
		{"", 0, "", []string{"1.jsonl.xz", "2.jsonl"}, []string{"1.jsonl", "2.jsonl"}},
		{"", 9, "parquet", []string{"1.jsonl"}, []string{"part-00000.parquet", "part-00001.parquet"}},
		{"{stem}-{shard}.json", 0, "", []string{"1.jsonl", "2.jsonl"}, []string{"1-00000.json", "2-00001.json"}},
	} {
		of := runOf(t, c.paths...)
		of.Records.To = c.to
		f, err := New(layout.Shards{OutputDir: dir, Name: c.name, Records: c.records}, of)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		var got []string
		for number := range c.want {
			rest, err := filepath.Rel(dir, f.Path(number))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rest)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if f, err := New(layout.Shards{}, runOf(t, "1.jsonl")); f != nil || err != nil {
		t.Errorf("of one output: %v, %v", f, err)
	}
}

// TestRefusals: what names would say wrongly, or what would be lost, is refused before anything is
// written.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	read := filepath.Join(dir, "part-00007.jsonl")
	if err := os.WriteFile(read, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		rule   layout.Shards
		change func(of *Run)
	}{
		"--shard-size does not go with rows of parquet": {layout.Shards{Bytes: 1}, func(of *Run) {
			of.Records.Name = "parquet"
		}},
		"is named like a part of the output": {layout.Shards{Records: 1}, func(of *Run) {
			of.Paths = []string{read}
		}},
		"would both be written to": {layout.Shards{Name: "{stem}.jsonl"}, func(of *Run) {
			of.Paths = []string{"1.jsonl", "1.json"}
		}},
		"would be csv by its name, but it would hold jsonl": {layout.Shards{Name: "{stem}.csv"}, func(*Run) {}},
		"leads out of --output-dir": {layout.Shards{}, func(of *Run) {
			of.Paths = []string{"../../1.jsonl", "1.jsonl"}
		}},
		"would hide a parquet file from its readers": {layout.Shards{Name: "{stem}.parquet"}, func(of *Run) {
			of.Records.To, of.Compress.Format = "parquet", "gzip"
		}},
		"one of " + dir + "/a.warc.gz and " + dir + "/b.warc would be made of gzip members": {change: func(of *Run) {
			of.Records.Name, of.Paths = "warc", []string{"a.warc.gz", "b.warc"}
		}},
	} {
		of := runOf(t, "1.jsonl")
		c.change(&of)
		c.rule.OutputDir = dir
		if _, err := New(c.rule, of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
