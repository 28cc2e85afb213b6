package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
)

// TestDatasetInBucket reads a prefix as the directory of a dataset.
func TestDatasetInBucket(t *testing.T) {
	rows, err := os.ReadFile(filepath.Join("internal", "arrow", "testdata", "same.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	server := buckettest.S3(t)
	for name, body := range map[string][]byte{
		"dataset_dict.json": []byte(`{"splits": ["train"]}`), "train/dataset_info.json": []byte(`{}`),
		"train/state.json":  []byte(`{"_data_files": [{"filename": "data.arrow"}]}`),
		"train/cache.arrow": rows, "train/data.arrow": rows,
	} {
		server.Set("/bucket/saved/"+name, body)
	}
	r := runWithCache(t, t.TempDir(), "", "-q", "--to", "jsonl", "s3://bucket/saved/")
	want := runWithCache(t, t.TempDir(), "", "-q", "--to", "jsonl", "internal/arrow/testdata/same.arrow")
	if r.code != 0 || r.out == "" || r.out != want.out {
		t.Errorf("%+v", r)
	}
}

// TestBucketPrefixIsReadLikeADirectory leaves out what is not called like records, and an index.
func TestBucketPrefixIsReadLikeADirectory(t *testing.T) {
	server := buckettest.S3(t)
	record := []byte("{\"text\":\"one two three\"}\n")
	server.Set("/bucket/crawl/a.jsonl", record)
	server.Set("/bucket/crawl/README.md", []byte("# About\n"))
	if r := runWithCache(t, t.TempDir(), string(record), "-q", "--index", "s3://bucket/crawl/idx"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	r := runWithCache(t, t.TempDir(), "", "s3://bucket/crawl/")
	said := "1 files whose names are not those of records (s3://bucket/crawl/README.md), which --all-files " +
		"reads too; 1 indexes (s3://bucket/crawl/idx/)\n"
	if r.code != 0 || r.out != string(record) || !strings.Contains(r.messages, said) {
		t.Errorf("%+v", r)
	}
}
