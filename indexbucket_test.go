package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/s3test"
)

const bucketIndex = "s3://bucket/idx"

// A bucketRun is how a command ended.
type bucketRun struct {
	out, messages string
	code          int
}

// runWithCache runs a command with a directory for the copies of indexes.
func runWithCache(t *testing.T, cache, input string, args ...string) bucketRun {
	t.Helper()
	var out, messages bytes.Buffer
	cmd := exec.Command("mithril-stream", args...)
	cmd.Env = append(os.Environ(), "MITHRIL_STREAM_INDEX_CACHE="+cache)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &messages
	err := cmd.Run()
	return bucketRun{out.String(), messages.String(), exitCode(err)}
}

// days are inputs of which each has records of the one before.
func days(count int) (inputs []string) {
	for day := range count {
		var lines strings.Builder
		for i := range 200 {
			n := 100*day + i
			fmt.Fprintf(&lines, `{"text":"record %d has words like %x and %x, which %d others lack"}`+"\n", n, n*7919,
				n*104729, n*31)
		}
		inputs = append(inputs, lines.String())
	}
	return inputs
}

// filesIn are the objects of an index by the names of their files, without the checksums and times
// that tell runs apart.
func filesIn(server *s3test.Server) map[string][]byte {
	files := map[string][]byte{}
	for path, body := range server.Objects() {
		if _, name, ok := strings.Cut(strings.TrimPrefix(path, "/bucket/idx/"), "/"); ok &&
			(name == "exact" || strings.HasPrefix(name, "base-") || strings.HasSuffix(name, ".verdicts")) {
			files[name] = body
		}
	}
	return files
}

func hasLock(server *s3test.Server) bool { return server.Objects()["/bucket/idx/LOCK"] != nil }

// An index in a bucket is as one in a directory, on one machine or on several.
func TestIndexInBucket(t *testing.T) {
	for name, flags := range map[string][]string{
		"filters": nil, "exact": {"--memory", "exact"}, "vectors of bits": {"--sketch", "simhash"},
	} {
		t.Run(name, func(t *testing.T) {
			s3test.New(t)
			local, cache := filepath.Join(t.TempDir(), "idx"), t.TempDir()
			inputs := days(4)
			for i, input := range append(inputs, inputs[1]) { // the last one is repeated
				if i == 2 {
					cache = t.TempDir() // another machine
				}
				want := runWithCache(t, cache, input, append(flags, "-q", "--index", local)...)
				got := runWithCache(t, cache, input, append(flags, "-q", "--index", bucketIndex)...)
				if got.code != 0 || got.messages != "" || got.out != want.out || len(got.out) == 0 {
					t.Fatalf("day %d: %+v, want %+v", i, got, want)
				}
			}
			for _, asked := range [][]string{{"--read-only", "--index"}, {"--against"}} {
				args := append(append(flags, "-q"), asked...)
				got, want := runWithCache(t, cache, inputs[3], append(args, bucketIndex)...),
					runWithCache(t, cache, inputs[3], append(args, local)...)
				if got != want || got.code != 0 || got.out != "" {
					t.Errorf("%s: %+v, want %+v", asked, got, want)
				}
			}
			verified := runWithCache(t, cache, "", "index", "verify", bucketIndex)
			if verified.code != 0 || !strings.HasPrefix(verified.out, bucketIndex+": whole") {
				t.Errorf("%+v", verified)
			}
			got, want := runWithCache(t, cache, "", "index", "inspect", bucketIndex),
				runWithCache(t, cache, "", "index", "inspect", local)
			if got.code != 0 || len(strings.Split(got.out, "\n")) != len(strings.Split(want.out, "\n")) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// What is asked, and band keys, have to do with indexes in buckets too.
func TestIndexInBucketOfOtherCommands(t *testing.T) {
	server, cache, sketches := s3test.New(t), t.TempDir(), filepath.Join(t.TempDir(), "sketches")
	input := days(1)[0]
	runWithCache(t, cache, input, "-q", "--memory", "exact", "--index", bucketIndex)
	near := runWithCache(t, cache, "", "near", "--index", bucketIndex, "-k", "1",
		"record 7 has words like d889 and b2faf, which 217 others lack")
	if near.code != 0 || !strings.Contains(near.out, `"record":"stdin:8","similarity":1`) {
		t.Errorf("%+v", near)
	}
	for path := range server.Objects() {
		server.Set(path, nil)
	}
	if r := runWithCache(t, cache, input, "sketch", "-q", "-o", sketches); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	for range 2 {
		r := runWithCache(t, cache, "", "dedup", "-q", "--index", bucketIndex, sketches)
		if r.code != 0 || r.out != strings.Repeat("1\n", 200) || hasLock(server) {
			t.Errorf("%+v", r)
		}
	}
}

// Indexes go from directories to buckets, and back, by a merge.
func TestIndexIntoBucket(t *testing.T) {
	server := s3test.New(t)
	local, back, cache := filepath.Join(t.TempDir(), "idx"), filepath.Join(t.TempDir(), "back"), t.TempDir()
	input := days(1)[0]
	runWithCache(t, cache, input, "-q", "--capacity", "1000", "--index", local)
	for range 2 { // the second one finds that it is done
		if r := runWithCache(t, cache, "", "index", "merge", local, "-o", bucketIndex); r.code != 0 || hasLock(server) {
			t.Fatalf("%+v", r)
		}
	}
	if r := runWithCache(t, cache, "", "index", "compact", bucketIndex); r.code != 0 || len(filesIn(server)) == 0 {
		t.Errorf("%+v", r)
	}
	if r := runWithCache(t, cache, "", "index", "merge", bucketIndex, "-o", back); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := runWithCache(t, cache, input, "-q", "--capacity", "1000", "--index", back); r.code != 0 || r.out != "" {
		t.Errorf("%+v", r)
	}
	other := filepath.Join(t.TempDir(), "other")
	runWithCache(t, cache, input+input, "-q", "--capacity", "1000", "--index", other)
	if r := runWithCache(t, cache, "", "index", "merge", other, "-o", bucketIndex); r.code != 1 ||
		!strings.Contains(r.messages, bucketIndex) || hasLock(server) {
		t.Errorf("%+v", r)
	}
}

// What cannot be in a bucket is refused before anything is asked for.
func TestIndexInBucketUsage(t *testing.T) {
	server := s3test.New(t)
	for says, args := range map[string][]string{
		"cannot go on with the index " + bucketIndex: {"--index", bucketIndex, "--checkpoint", "5"},
		"published only when":                        {"--index", bucketIndex, "--resume"},
		"judge takes an":                             {"judge", "--index", bucketIndex},
		"kafka takes an": {"kafka", "--brokers", "x:1", "--from", "a", "--to", "b", "--group", "g", "--index",
			bucketIndex},
		"settle takes an":    {"index", "settle", bucketIndex},
		"is no index":        {"--index", "s3://bucket"},
		"is no index in":     {"--against", "https://example.org/x"},
		"is no index in a":   {"index", "unlock", "dir"},
		"same directory as ": {"--index", bucketIndex, "--against", bucketIndex},
	} {
		if r := runWithCache(t, t.TempDir(), "", args...); r.code != 2 || !strings.Contains(r.messages, says) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if asked := server.Asked(); len(asked) > 0 {
		t.Error(asked)
	}
}

// A run that cannot publish fails, and says where its index is. Its outputs are whole, the bucket
// is as it was, and the same command again does all of it.
func TestPublishFails(t *testing.T) {
	server, cache, out := s3test.New(t), t.TempDir(), filepath.Join(t.TempDir(), "out")
	inputs := days(2)
	inputs[1] += "no record\n"
	runWithCache(t, cache, inputs[0], "-q", "--index", bucketIndex)
	before := server.Objects()
	server.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/CURRENT") {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	}
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
	if r := runWithCache(t, cache, inputs[1], "-q", "--index", kept, "-o", out+"2"); r.code != 0 {
		t.Errorf("%q is no index: %+v", kept, r)
	}
	server.Before = nil
	// 3 is for the line that is no record: the index is published all the same
	if again := runWithCache(t, cache, inputs[1], append(args[:6:6], out+"3")...); again.code != 3 {
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

// A run that is killed while it publishes leaves its lock, and nothing else that counts.
func TestKilledWhilePublishing(t *testing.T) {
	undisturbed, cache := s3test.New(t), t.TempDir()
	inputs := days(2)
	var want bucketRun
	for _, input := range inputs {
		want = runWithCache(t, cache, input, "-q", "--memory", "exact", "--index", bucketIndex)
	}
	for _, at := range []string{"/MANIFEST", "/exact", "/runs/00000002.json", "/CURRENT"} {
		server, cache := s3test.New(t), t.TempDir()
		runWithCache(t, cache, inputs[0], "-q", "--memory", "exact", "--index", bucketIndex)
		cmd := exec.Command("mithril-stream", "-q", "--memory", "exact", "--index", bucketIndex, "--index-cache", cache)
		cmd.Stdin = strings.NewReader(inputs[1])
		server.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut || !strings.HasSuffix(r.URL.Path, at) {
				return false
			}
			cmd.Process.Kill()
			return true
		}
		if err := cmd.Run(); err == nil {
			t.Fatal(at, "it was not killed")
		}
		server.Before = nil
		refused := runWithCache(t, cache, inputs[1], "-q", "--memory", "exact", "--index", bucketIndex)
		if refused.code != 1 || !strings.Contains(refused.messages, fmt.Sprintf("process %d on ", cmd.Process.Pid)) {
			t.Errorf("%s: %+v", at, refused)
		}
		unlocked := runWithCache(t, cache, "", "index", "unlock", bucketIndex)
		if unlocked.code != 0 || !strings.Contains(unlocked.out, "unlocked; it was locked by process ") {
			t.Errorf("%s: %+v", at, unlocked)
		}
		got := runWithCache(t, cache, inputs[1], "-q", "--memory", "exact", "--index", bucketIndex)
		if got != want || !maps.EqualFunc(filesIn(server), filesIn(undisturbed), bytes.Equal) {
			t.Errorf("%s: %+v, %d files", at, got, len(filesIn(server)))
		}
		if left, _ := filepath.Glob(filepath.Join(cache, "*", "run-*")); len(left) > 0 {
			t.Errorf("%s: %v", at, left)
		}
	}
}

// A run that fails before its commit publishes nothing, takes its lock away, and calls the index as
// the user does.
func TestRunFailsWithIndexInBucket(t *testing.T) {
	server, cache := s3test.New(t), t.TempDir()
	input := days(1)[0]
	runWithCache(t, cache, input, "-q", "--index", bucketIndex)
	before := server.Objects()
	for says, args := range map[string][]string{
		"none.jsonl":                          {"none.jsonl"},
		"no index at s3://bucket/other":       {"--against", "s3://bucket/other"},
		bucketIndex + ": the index was built": {"--threshold", "0.5"},
		"is a directory":                      {"-o", cache},
		bucketIndex + " has taken in this":    {"--keep-runs", "0"},
	} {
		if args[0] == "--keep-runs" { // the verdicts go with the next run
			runWithCache(t, cache, "{\"text\":\"another one\"}\n", "-q", "--index", bucketIndex, "--keep-runs", "0")
			before = server.Objects()
		}
		r := runWithCache(t, cache, input, append([]string{"-q", "--index", bucketIndex}, args...)...)
		if r.code == 0 || !strings.Contains(r.messages, says) || strings.Contains(r.messages, cache+"/idx") {
			t.Errorf("%s: %+v", args, r)
		}
		if !maps.EqualFunc(before, server.Objects(), bytes.Equal) {
			t.Errorf("%s: the bucket is not as it was", args)
		}
	}
}

// A run that is stopped publishes nothing, and takes its lock away.
func TestStoppedWithIndexInBucket(t *testing.T) {
	server := s3test.New(t)
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
