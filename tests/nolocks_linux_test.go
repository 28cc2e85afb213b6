package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFileSystemWithoutLocks: an index is not put where two programs could write to it at once, and
// an output is written there all the same.
func TestFileSystemWithoutLocks(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("strace is not installed: it has the system refuse locks")
	}
	t.Parallel()
	dir := t.TempDir()
	for _, errno := range []string{"ENOLCK", "EOPNOTSUPP"} {
		run := func(args ...string) (string, error) {
			cmd := exec.Command("strace", append([]string{"-f", "-qq", "-o", os.DevNull, "-e", "trace=flock",
				"-e", "inject=flock:error=" + errno, "mithril-stream"}, args...)...)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(`{"text":"one"}`+"\n"+`{"text":"One"}`+"\n")
			said, err := cmd.CombinedOutput()
			return string(said), err
		}
		says := "idx: this file system has no locks"
		if said, err := run("--index", "idx"); err == nil || !strings.Contains(said, says) ||
			!strings.Contains(said, "put it on a local disk") {
			t.Errorf("%s: an index: %v\n%s", errno, err, said)
		}
		out := filepath.Join(dir, errno)
		if said, err := run("-q", "-o", out); err != nil {
			t.Fatalf("%s: an output: %v\n%s", errno, err, said)
		}
		if text, err := os.ReadFile(out); err != nil || !bytes.Equal(text, []byte(`{"text":"one"}`+"\n")) {
			t.Errorf("%s: the output is %q, %v", errno, text, err)
		}
	}
}
