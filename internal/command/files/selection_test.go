package files

import (
	"slices"
	"strings"
	"testing"
)

// TestSelection compares what is taken with what stands in each list, and tells of the rest once.
func TestSelection(t *testing.T) {
	s := &Selection{Match: func(path string) bool { return strings.HasSuffix(path, ".jsonl") }}
	found := []string{
		"s3://b/d/CURRENT", "s3://b/d/1-ab/MANIFEST", "s3://b/d/1-ab/runs/1.jsonl", "s3://b/d2/MANIFEST",
		"s3://b/d2/x.jsonl", "s3://b/a.md", "s3://b/b.jsonl",
	}
	for range 2 {
		taken, err := s.of("s3://b/", found, nil)
		if want := []string{"s3://b/d2/x.jsonl", "s3://b/b.jsonl"}; err != nil || !slices.Equal(taken, want) {
			t.Errorf("%v, %v", taken, err)
		}
	}
	want := "of directories, these are not read: 2 files whose names are not those of records (s3://b/d2/MANIFEST, " +
		"s3://b/a.md), which --all-files reads too; 1 indexes (s3://b/d/)"
	if news := s.SkippedNote(); news != want || s.SkippedNote() != "" || s.Skipped() != 2 {
		t.Errorf("%q, then %q", news, s.SkippedNote())
	}
	if taken, err := (*Selection)(nil).of("d", []string{"d/x"}, nil); err != nil || len(taken) != 1 {
		t.Error(taken, err)
	}
}
