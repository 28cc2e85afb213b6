package tests

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
)

// A run that cannot publish fails, and says where its index is. Its outputs are whole, the bucket
// is as it was, and the same command again does all of it.
func TestPublishFails(t *testing.T) {
	server, cache, out := startBucket(t), t.TempDir(), filepath.Join(t.TempDir(), "out")
	inputs := days(2)
	inputs[1] += "no record\n"
	runWithCache(t, cache, inputs[0], "-q", "--index", bucketIndex)
	before := server.Objects()
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		if buckettest.Writes(r) && strings.HasSuffix(server.ObjectOf(r), "/CURRENT") {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	}, nil)
	args := []string{"-q", "--on-error", "fail", "--index", bucketIndex, "-o", out}
	failed := runWithCache(t, cache, inputs[1], args...)
	if failed.code != 1 || !strings.Contains(failed.messages, "not published to "+bucketIndex) || hasLock(server) {
		t.Errorf("%+v", failed)
	}
	for path, body := range before {
		if !bytes.Equal(server.Objects()[path], body) {
			t.Errorf("%s is harmed", path)
		}
	}
	written, err := os.ReadFile(out)
	if err != nil || len(written) == 0 {
		t.Fatal(err)
	}
	_, kept, _ := strings.Cut(failed.messages, "has left it is in ")
	kept, _, _ = strings.Cut(strings.TrimSpace(kept), ";")
	replay := []string{"--repeat", "replay"}
	if r := runWithCache(t, cache, inputs[1], append(replay, "-q", "--index", kept, "-o", out+"2")...); r.code != 0 {
		t.Errorf("%q is no index: %+v", kept, r)
	}
	server.Disturb(nil, nil)
	// 3 is for the line that is no record: the index is published all the same
	again := runWithCache(t, cache, inputs[1], append(append(replay, args[:6]...), out+"3")...)
	if again.code != 3 {
		t.Errorf("%+v", again)
	}
	for _, suffix := range []string{"2", "3"} {
		if other, err := os.ReadFile(out + suffix); err != nil || !bytes.Equal(written, other) {
			t.Errorf("%d bytes, want %d, %v", len(other), len(written), err)
		}
	}
	if n := len(filesIn(server)); n != 2 {
		t.Errorf("there are the verdicts of %d runs", n)
	}
}

// A run that is killed at any of its requests leaves its lock, and nothing else that counts: the
// same command again, with --repeat replay since it writes to a pipe, gives the output and the
// index of a run that nobody disturbed.
func TestKilledWithIndexInBucket(t *testing.T) {
	undisturbed, cache := startBucket(t), t.TempDir()
	inputs := days(2)
	args := []string{"-q", "--memory", "exact", "--index", bucketIndex}
	runWithCache(t, cache, inputs[0], args...)
	first, firstCache := undisturbed.Objects(), t.TempDir()
	if err := os.CopyFS(firstCache, os.DirFS(cache)); err != nil {
		t.Fatal(err)
	}
	want := runWithCache(t, cache, inputs[1], args...)
	step := 1 // odd: at every second request the cache is cold
	switch {
	case testing.Short():
		step = 11
	case inBucket != "s3://bucket/" && !isThorough(): // all kinds of buckets get the same requests
		step = 3
	}
	for served := range 2 { // whether the request still is
		kills := 0
		for at := 1; ; at += step {
			server, cache := startBucket(t), t.TempDir()
			for path, body := range first {
				server.Set(path, body)
			}
			isCold := at%2 == 0 // so that all is fetched
			if !isCold {
				if err := os.CopyFS(cache, os.DirFS(firstCache)); err != nil {
					t.Fatal(err)
				}
			}
			if !killAt(t, server, at, served == 1, inputs[1], append(args, "--index-cache", cache)) {
				if isCold {
					break
				}
				continue // there are fewer requests
			}
			kills++
			if hasLock(server) {
				refused := runWithCache(t, cache, inputs[1], args...)
				if refused.code != 1 || !strings.Contains(refused.messages, "locked, by process ") {
					t.Errorf("request %d: %+v", at, refused)
				}
			}
			if r := runWithCache(t, cache, "", "index", "unlock", bucketIndex); r.code != 0 {
				t.Errorf("request %d: %+v", at, r)
			}
			got := runWithCache(t, cache, inputs[1], append(args, "--repeat", "replay")...)
			if strings.Contains(got.messages, "the same verdicts again") { // it was killed after it had counted
				got.messages = ""
			}
			if got != want || !maps.EqualFunc(filesIn(server), filesIn(undisturbed), bytes.Equal) {
				t.Errorf("request %d: %+v, %d files", at, got, len(filesIn(server)))
			}
			if left, _ := filepath.Glob(filepath.Join(cache, "*", "run-*")); len(left) > 0 {
				t.Errorf("request %d: %v", at, left)
			}
		}
		if t.Logf("it was killed %d times", kills); kills*step < 20 {
			t.Error("that is not all")
		}
	}
}

// killAt kills a command at its n-th request, before it is served or after, and reports whether it
// has come so far.
func killAt(t *testing.T, server *buckettest.Server, n int, served bool, input string, args []string) bool {
	t.Helper()
	cmd := exec.Command("mithril-stream", args...)
	cmd.Stdin = strings.NewReader(input)
	var requests atomic.Int64
	stop := func(now int) {
		if now >= n {
			cmd.Process.Kill()
			panic(http.ErrAbortHandler)
		}
	}
	server.Disturb(func(http.ResponseWriter, *http.Request) bool {
		if now := int(requests.Add(1)); !served || now > n {
			stop(now)
		}
		return false
	}, func(*http.Request) { stop(int(requests.Load())) })
	err := cmd.Run()
	server.Disturb(nil, nil)
	if int(requests.Load()) < n {
		if err != nil {
			t.Error(err)
		}
		return false
	}
	return true
}

// A run that fails before its commit publishes nothing, takes its lock away, and calls the index as
// the user does.
func TestRunFailsWithIndexInBucket(t *testing.T) {
	server, cache := startBucket(t), t.TempDir()
	input := days(1)[0]
	runWithCache(t, cache, input, "-q", "--index", bucketIndex)
	before := server.Objects()
	fails := func(says string, args ...string) {
		r := runWithCache(t, cache, input, append([]string{"-q", "--index", bucketIndex}, args...)...)
		if r.code == 0 || !strings.Contains(r.messages, says) || strings.Contains(r.messages, cache+"/idx") {
			t.Errorf("%s: %+v", args, r)
		}
		if !maps.EqualFunc(before, server.Objects(), bytes.Equal) {
			t.Errorf("%s: the bucket is not as it was", args)
		}
	}
	fails("none.jsonl", "none.jsonl")
	fails("no index at "+inBucket+"other", "--against", inBucket+"other")
	fails(bucketIndex+": the index was built", "--threshold", "0.5")
	fails("is a directory", "-o", cache)
	// the verdicts go with the next run
	runWithCache(t, cache, "{\"text\":\"another one\"}\n", "-q", "--index", bucketIndex, "--keep-runs", "0")
	before = server.Objects()
	fails(bucketIndex+" has read this", "--keep-runs", "0", "--repeat", "replay")
}

// A run that is stopped publishes nothing, and takes its lock away.
func TestStoppedWithIndexInBucket(t *testing.T) {
	server := startBucket(t)
	cmd := exec.Command("mithril-stream", "-q", "--index", bucketIndex, "--index-cache", t.TempDir())
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	// more than a pipe holds: it is at work
	if _, failed := in.Write([]byte(strings.Repeat(days(1)[0], 400))); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	if !hasLock(server) {
		t.Error("it has no lock")
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 143 || len(server.Objects()) > 0 {
		t.Errorf("exit code %d, there is %v", code, slices.Collect(maps.Keys(server.Objects())))
	}
}

// TestAServerThatIsWaitedForIsNamed: seconds of silence look like a program that hangs. A single
// failure is not worth a line.
func TestAServerThatIsWaitedForIsNamed(t *testing.T) {
	server := startBucket(t)
	server.Set("/bucket/a.jsonl", []byte("{\"text\":\"one\"}\n"))
	for failures, want := range []int{0, 0, 1, 1} {
		var left atomic.Int32
		left.Store(int32(failures))
		server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			if left.Add(-1) < 0 {
				return false
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, nil)
		r := runWithCache(t, t.TempDir(), "", inBucket+"a.jsonl")
		if n := strings.Count(r.messages, "; trying again\n"); r.code != 0 || n != want {
			t.Errorf("%d failures: %+v", failures, r)
		}
		left.Store(int32(failures))
		if r = runWithCache(t, t.TempDir(), "", "-q", inBucket+"a.jsonl"); r.code != 0 || r.messages != "" {
			t.Errorf("%d failures, and -q: %+v", failures, r)
		}
	}
}
