package tests

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// manyLines makes a file that is much longer than what a run reads ahead of its output.
func manyLines(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "in.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, rng := bufio.NewWriter(f), rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		fmt.Fprintf(w, `{"id":%d,"text":"`, i)
		for range 120 {
			fmt.Fprintf(w, "%x ", rng.Uint64())
		}
		fmt.Fprintln(w, `"}`)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTruncatedWhileRead has a file truncated in the middle of a run, as logrotate's copytruncate
// does: nobody knows what was lost, so the run does not end well. What was read is written.
func TestTruncatedWhileRead(t *testing.T) {
	for _, to := range []int64{0, 15 << 20} {
		path := manyLines(t)
		for _, args := range []string{path, "--threads 1 " + path, "< " + path} {
			cmd := exec.Command("sh", "-c", "exec mithril-stream -q "+args)
			var messages strings.Builder
			cmd.Stderr = &messages
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 1)); err != nil { // now it waits for us, far from the end
				t.Error(err)
			}
			if err := os.Truncate(path, to); err != nil {
				t.Error(err)
			}
			n, _ := io.Copy(io.Discard, out)
			want := 4
			if strings.HasPrefix(args, "<") {
				want = 1 // the only input
			}
			if code := exitCode(cmd.Wait()); code != want || n == 0 ||
				!strings.Contains(messages.String(), "it was truncated while it was read") {
				t.Errorf("%s, truncated to %d: exit code %d, want %d, after %d bytes: %s", args, to, code, want, n,
					&messages)
			}
			path2 := manyLines(t)
			if err := os.Rename(path2, path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
