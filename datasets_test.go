package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/s3test"
)

// TestDatasetInBucket reads a prefix as the directory of a dataset.
func TestDatasetInBucket(t *testing.T) {
	rows, err := os.ReadFile(filepath.Join("stream", "arrow", "testdata", "same.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	server := s3test.New(t)
	for name, body := range map[string][]byte{
		"dataset_dict.json": []byte(`{"splits": ["train"]}`), "train/dataset_info.json": []byte(`{}`),
		"train/state.json":  []byte(`{"_data_files": [{"filename": "data.arrow"}]}`),
		"train/cache.arrow": rows, "train/data.arrow": rows,
	} {
		server.Set("/bucket/saved/"+name, body)
	}
	r := runWithCache(t, t.TempDir(), "", "-q", "--to", "jsonl", "s3://bucket/saved/")
	want := runWithCache(t, t.TempDir(), "", "-q", "--to", "jsonl", "stream/arrow/testdata/same.arrow")
	if r.code != 0 || r.out == "" || r.out != want.out {
		t.Errorf("%+v", r)
	}
}
