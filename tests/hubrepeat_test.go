package tests

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/hftest"
)

// TestHubRepeats: the same records are known again, also if the branch has got a commit that
// changes none of its files; and what a branch was is told when it has moved.
func TestHubRepeats(t *testing.T) {
	server, files := hftest.New(t), splits()
	first := server.Commit("org/set", "main", files)
	index, address := filepath.Join(t.TempDir(), "idx"), "hf://datasets/org/set/data/"
	args := []string{"--index", index, address}
	want := succeed(t, args...)
	inspected := succeed(t, "index", "inspect", index)
	if !strings.Contains(inspected, "hf://datasets/org/set@"+first) {
		t.Errorf("the index does not say which commit it has read: %s", inspected)
	}
	files["README.md"] = []byte("# a better description\n")
	server.Commit("org/set", "main", files)
	for range 2 {
		if got := succeed(t, append(args, "--repeat", "replay")...); got != want {
			t.Errorf("the same files: %d bytes, want %d", len(got), len(want))
		}
	}
	files["data/test-00000-of-00004.jsonl"] = []byte(days(9)[8])
	moved := server.Commit("org/set", "main", files)
	r := runWithCache(t, t.TempDir(), "", args...)
	if r.code != 0 || !strings.Contains(r.messages, first) || !strings.Contains(r.messages, moved) ||
		strings.Count(r.out, "\n") != strings.Count(days(9)[8], "\n") {
		t.Errorf("a branch that has moved: %+v", r)
	}
	pinned := "hf://datasets/org/set@" + first + "/data/"
	if got := succeed(t, "--index", index, "--repeat", "replay", pinned); got != want {
		t.Errorf("the commit of before: %d bytes, want %d", len(got), len(want))
	}
}

// TestHubResumes a run that was stopped in the middle, at the commit that it has begun with and at
// no other.
func TestHubResumes(t *testing.T) {
	server, files := hftest.New(t), splits()
	first := server.Commit("org/set", "main", files)
	dir, address := t.TempDir(), "hf://datasets/org/set/data/"
	want := succeed(t, "-q", address)
	out := filepath.Join(dir, "out.jsonl")
	run := func(address string, more ...string) bucketRun {
		args := append([]string{"-q", "--index", filepath.Join(dir, "idx"), "--checkpoint", "50", "-o", out,
			"--on-error", "fail"}, more...)
		return runWithCache(t, dir, "", append(args, address)...)
	}
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		isIt := strings.Contains(r.URL.Path, "resolve") && strings.Contains(r.URL.Path, "00003-of")
		if isIt {
			w.WriteHeader(http.StatusForbidden)
		}
		return isIt
	})
	if r := run(address); r.code == 0 {
		t.Fatalf("%+v", r)
	}
	server.Disturb(nil)
	files["README.md"] = []byte("# another commit\n")
	second := server.Commit("org/set", "main", files)
	pinned := "hf://datasets/org/set@" + first
	if r := run(address, "--resume"); r.code == 0 || !strings.Contains(r.messages, second) ||
		!strings.Contains(r.messages, "give "+pinned) {
		t.Errorf("a branch that has moved: %+v", r)
	}
	if r := run(pinned+"/data/", "--resume"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != want {
		t.Errorf("resumed: %d bytes, want %d: %v", len(got), len(want), err)
	}
}

// TestHubAfterKills: the program is killed at each of its requests, and gone on with.
func TestHubAfterKills(t *testing.T) {
	server, files := hftest.New(t), splits()
	server.Commit("org/set", "main", files)
	dir, address := t.TempDir(), "hf://datasets/org/set/data/"
	want := succeed(t, "-q", address)
	out := filepath.Join(dir, "out.jsonl")
	for kills, done := 0, false; !done; kills++ {
		cmd := exec.Command("mithril-stream", "-q", "--index", filepath.Join(dir, "idx"), "--checkpoint", "50",
			"--resume", "-o", out, address)
		ready := make(chan struct{})
		var asked atomic.Int32
		server.Disturb(func(http.ResponseWriter, *http.Request) bool {
			if <-ready; int(asked.Add(1)) == kills+1 {
				cmd.Process.Kill()
			}
			return false
		})
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		close(ready)
		err := cmd.Wait()
		if done = err == nil; !done && exitCode(err) != -1 {
			t.Fatalf("after %d kills: %v", kills, err)
		}
		if done && kills < 10 {
			t.Errorf("only %d requests", kills)
		}
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != want {
		t.Errorf("after all kills: %d bytes, want %d: %v", len(got), len(want), err)
	}
}

// TestHubIsOneCommit: a branch that moves while a run reads it is read at one commit.
func TestHubIsOneCommit(t *testing.T) {
	server, files := hftest.New(t), splits()
	server.Commit("org/set", "main", files)
	args := []string{"-q", "hf://datasets/org/set/data/small.jsonl", "hf://datasets/org/set/data/t*"}
	want := succeed(t, args...)
	var asked atomic.Int32
	server.Disturb(func(http.ResponseWriter, *http.Request) bool {
		if asked.Add(1) == 3 {
			server.Commit("org/set", "main", map[string][]byte{"data/small.jsonl": []byte("{}\n")})
		}
		return false
	})
	if got := succeed(t, args...); got != want || asked.Load() < 4 {
		t.Errorf("%d bytes, want %d, of %d requests", len(got), len(want), asked.Load())
	}
}
