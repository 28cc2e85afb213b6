package object

import (
	"strings"
	"testing"
)

func TestCheckScheme(t *testing.T) {
	for path, want := range map[string]string{
		"s3a://id:secret@bucket/x": "only s3://, gs://, az://, https:// and hf:// are known: write s3://",
		"gcs://bucket/x":           "write gs://",
		"GS://bucket/x":            "in small letters",
		"HF://datasets/a/b/x":      "in small letters",
		"AZ://container/x":         "in small letters",
		"abfs://container@a.b/x":   "write az://CONTAINER/PATH, and name the account in AZURE_STORAGE_ACCOUNT",
		"file:///x":                "leave file:// out",
		"HTTPS://host/x":           "in small letters",
		"oss://bucket/x":           "if its server knows S3",
	} {
		if err := CheckScheme(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{
		"s3://bucket/x", "gs://bucket/x", "az://bucket/x", "https://host/x", "http://host/x", "x", "-", "dir/a://b",
		"://",
	} {
		if err := CheckScheme(path); err != nil {
			t.Error(err)
		}
	}
}
