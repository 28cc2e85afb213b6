package tests

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestARepeatedRunReplacesNoChangedObject: an object that somebody has written since is known by
// its version. The same object, written again by the run, is not taken for another one.
func TestARepeatedRunReplacesNoChangedObject(t *testing.T) {
	server, index := startBucket(t), filepath.Join(t.TempDir(), "ix")
	input, object := days(1)[0], "/bucket/kept.jsonl"
	run := func(more ...string) bucketRun {
		return runWithCache(t, t.TempDir(), input, append([]string{"-q", "--index", index, "-o",
			inBucket + "kept.jsonl"}, more...)...)
	}
	var want []byte
	for n := range 3 {
		if r := run(); r.code != 0 {
			t.Fatalf("run %d: %+v", n, r)
		}
		if n == 0 {
			want = server.Objects()[object]
		}
		if got := server.Objects()[object]; len(got) == 0 || !bytes.Equal(got, want) {
			t.Fatalf("run %d: %d bytes, want %d", n, len(got), len(want))
		}
	}
	changed := append(bytes.Clone(want), "{\"text\":\"of another index\"}\n"...)
	server.Set(object, changed)
	r := run()
	if r.code != 1 || !strings.Contains(r.messages, "does not hold what that run wrote") {
		t.Errorf("%+v", r)
	}
	if !bytes.Equal(server.Objects()[object], changed) {
		t.Error("the object was replaced")
	}
	if r := run("--overwrite"); r.code != 0 || !bytes.Equal(server.Objects()[object], want) {
		t.Errorf("%+v", r)
	}
}
