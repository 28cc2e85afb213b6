package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// filesIn are those files of the generation that counts which are the same in any run: without
// times and what depends on them.
func filesIn(server *s3test.Server) map[string][]byte {
	files, objects := map[string][]byte{}, server.Objects()
	for line := range strings.Lines(string(objects["/bucket/idx/CURRENT"])) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if fields[0] != "file" {
			continue
		}
		name, key := fields[1], fields[4]
		if name == "exact" || strings.HasPrefix(name, "base-") || strings.HasSuffix(name, ".verdicts") {
			files[name] = objects["/bucket/idx/"+key]
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
			if testing.Short() && name != "exact" {
				t.Skip("one memory has all kinds of files; the longer run of the tests takes the others")
			}
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
	near := runWithCache(t, cache, "", "near", "--index", bucketIndex, "-k", "1", "--text",
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
