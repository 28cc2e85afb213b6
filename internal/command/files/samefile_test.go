package files

import "testing"

// TestIsBelow: what objects of a bucket are called; testdata/script/index_outputs.txtar has files.
func TestIsBelow(t *testing.T) {
	for _, c := range []struct {
		path, dir string
		want      bool
	}{
		{"s3://b/idx/CURRENT", "s3://b/idx", true},
		{"s3://b/idx/CURRENT", "s3://b/idx/", true},
		{"s3://b/idx", "s3://b/idx/", true},
		{"s3://b/idx.jsonl", "s3://b/idx", false},
		{"s3://b/x", "s3://c", false},
		{"idx/x", "s3://b/idx", false},
		{"s3://b/idx/x", "idx", false},
		{"..x/y", "..x", true},
		{"x", "x/y", false},
	} {
		if got := isBelow(c.path, c.dir); got != c.want {
			t.Errorf("%s below %s: %t", c.path, c.dir, got)
		}
	}
}
