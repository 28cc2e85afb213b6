package tests

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
)

// The bucket of the tests, which is of one kind after the other.
var (
	startBucket = buckettest.S3
	inBucket    = "s3://bucket/"
	bucketIndex = "s3://bucket/idx"
)

// TestOtherKindsOfBuckets checks that what holds for s3:// holds for the others, with fewer
// memories and kills unless -kills asks for more. With -short, each test runs with one of them.
func TestOtherKindsOfBuckets(t *testing.T) {
	defer func() { startBucket, inBucket, bucketIndex = buckettest.S3, "s3://bucket/", "s3://bucket/idx" }()
	tests := []struct {
		name string
		run  func(t *testing.T)
	}{
		{"index", TestIndexInBucket},
		{"commands", TestIndexInBucketOfOtherCommands},
		{"rule", TestIndexInBucketKnowsItsRule},
		{"merge", TestIndexIntoBucket},
		{"usage", TestIndexInBucketUsage},
		{"undo", TestIndexInBucketIsTakenBack},
		{"publish", TestPublishFails},
		{"kill", TestKilledWithIndexInBucket},
		{"fails", TestRunFailsWithIndexInBucket},
		{"stop", TestStoppedWithIndexInBucket},
		{"waiting", TestAServerThatIsWaitedForIsNamed},
		{"shards", TestTablesInShardsOfABucket},
	}
	others := slices.Sorted(maps.Keys(buckettest.Kinds))
	others = slices.DeleteFunc(others, func(scheme string) bool { return scheme == "s3" })
	for k, scheme := range others {
		startBucket, inBucket, bucketIndex = buckettest.Kinds[scheme], scheme+"://bucket/", scheme+"://bucket/idx"
		for n, test := range tests {
			if testing.Short() && n%len(others) != k {
				continue
			}
			t.Run(scheme+" "+test.name, test.run)
		}
	}
}

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
func filesIn(server *buckettest.Server) map[string][]byte {
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

func hasLock(server *buckettest.Server) bool { return server.Objects()["/bucket/idx/LOCK"] != nil }

// An index in a bucket is as one in a directory, on one machine or on several.
func TestIndexInBucket(t *testing.T) {
	for name, flags := range map[string][]string{
		"filters": nil, "exact": {"--memory", "exact"}, "vectors of bits": {"--sketch", "simhash"},
		"forgetting": {"--memory", "exact", "--keep-generations", "3", "--capacity", "250"},
	} {
		t.Run(name, func(t *testing.T) {
			if (testing.Short() || inBucket != "s3://bucket/" && !isThorough()) && name != "exact" {
				t.Skip("one memory has all kinds of files; the longer run takes the others, in a bucket of S3")
			}
			startBucket(t)
			local, cache := filepath.Join(t.TempDir(), "idx"), t.TempDir()
			inputs := days(4)
			for i, input := range append(inputs, inputs[1]) { // the last one is repeated
				if i == 2 {
					cache = t.TempDir() // another machine
				}
				run := append(flags, "-q", "--repeat", "replay", "--index")
				want := runWithCache(t, cache, input, append(run, local)...)
				got := runWithCache(t, cache, input, append(run, bucketIndex)...)
				if got.code != 0 || !saysOnly(got.messages, i == len(inputs)) || got.out != want.out ||
					len(got.out) == 0 {
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
			if name != "filters" {
				deleteAndCompact(t, cache, local, bucketIndex)
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

// saysOnly reports whether messages say that a run is repeated, if it is, and nothing else.
func saysOnly(messages string, isRepeated bool) bool {
	if !isRepeated {
		return messages == ""
	}
	const says = ": the same verdicts again, and the index is as it was\n"
	return strings.Count(messages, "\n") == 1 && strings.HasSuffix(messages, says)
}

// deleteAndCompact has two indexes forget the same records, and take that back, and forget others
// for good.
func deleteAndCompact(t *testing.T, cache, local, bucket string) {
	t.Helper()
	for _, step := range []struct {
		names string
		args  []string
	}{
		{"stdin:3\nstdin:4\n", []string{"index", "delete", "--ids", "-"}},
		{"", []string{"index", "undo"}},
		{"stdin:5\nstdin:6\n", []string{"index", "delete", "--ids", "-"}},
		{"", []string{"index", "compact"}},
	} {
		want := runWithCache(t, cache, step.names, append(step.args, local)...)
		got := runWithCache(t, cache, step.names, append(step.args, bucket)...)
		if want.code != 0 || got.code != 0 || got.messages != "" ||
			got.out != strings.ReplaceAll(want.out, local, bucket) {
			t.Fatalf("%s: %+v, want %+v", step.args, got, want)
		}
	}
}

// What is asked, and band keys, have to do with indexes in buckets too.
func TestIndexInBucketOfOtherCommands(t *testing.T) {
	server, cache, sketches := startBucket(t), t.TempDir(), filepath.Join(t.TempDir(), "sketches")
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
		r := runWithCache(t, cache, "", "dedup", "-q", "--repeat", "replay", "--index", bucketIndex, sketches)
		if r.code != 0 || r.out != strings.Repeat("1\n", 200) || hasLock(server) {
			t.Errorf("%+v", r)
		}
	}
}

// Indexes go from directories to buckets, and back, by a merge.
func TestIndexIntoBucket(t *testing.T) {
	server := startBucket(t)
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
// An index in a bucket gives a later run the flags that it was made with, and refuses others by
// naming both values, as one in a directory does.
func TestIndexInBucketKnowsItsRule(t *testing.T) {
	startBucket(t)
	cache, body := t.TempDir(), func(input string) string { return strings.ReplaceAll(input, `"text"`, `"body"`) }
	inputs := days(3)
	made := []string{"-q", "--index", bucketIndex, "--field", "body", "--memory", "exact", "--threshold", "0.8"}
	if r := runWithCache(t, cache, body(inputs[0]), made...); r.code != 0 || r.messages != "" {
		t.Fatalf("%+v", r)
	}
	later := runWithCache(t, t.TempDir(), body(inputs[1]), "-q", "--index", bucketIndex)
	if later.code != 0 || later.messages != "" || strings.Count(later.out, "\n") != 100 {
		t.Errorf("%+v", later)
	}
	against := runWithCache(t, cache, body(inputs[0]), "-q", "--against", bucketIndex)
	if against.code != 0 || against.messages != "" || against.out != "" {
		t.Errorf("%+v", against)
	}
	found := runWithCache(t, cache, body(inputs[0]), "near", "-q", "--index", bucketIndex)
	if found.code != 0 || strings.Count(found.out, `"similarity":1`) < 200 {
		t.Errorf("%+v", found)
	}
	other := runWithCache(t, cache, body(inputs[2]), "-q", "--index", bucketIndex, "--threshold", "0.9")
	if other.code != 1 || !strings.Contains(other.messages, "0.8") || !strings.Contains(other.messages, "0.9") ||
		!strings.Contains(other.messages, bucketIndex) {
		t.Errorf("%+v", other)
	}
	field := runWithCache(t, cache, inputs[2], "--index", bucketIndex, "--field", "text")
	if field.code != 0 || !strings.Contains(field.messages, bucketIndex+
		" was made with --field=body, and this run compares --field=text with that") {
		t.Errorf("%+v", field)
	}
}

func TestIndexInBucketUsage(t *testing.T) {
	server := startBucket(t)
	for says, args := range map[string][]string{
		"cannot continue the index " + bucketIndex: {"--index", bucketIndex, "--checkpoint", "5"},
		"published only when":                      {"--index", bucketIndex, "--resume"},
		"judge takes an":                           {"judge", "--index", bucketIndex},
		"kafka takes an": {"kafka", "--brokers", "x:1", "--from", "a", "--to", "b", "--group", "g", "--index",
			bucketIndex},
		"settle takes an":      {"index", "settle", bucketIndex},
		"is not an index":      {"--index", strings.TrimSuffix(inBucket, "/")},
		"is not an index in":   {"--against", "https://example.org/x"},
		"is not an index in a": {"index", "unlock", "dir"},
		"same directory as ":   {"--index", bucketIndex, "--against", bucketIndex},
	} {
		if r := runWithCache(t, t.TempDir(), "", args...); r.code != 2 || !strings.Contains(r.messages, says) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if asked := server.Requests(); len(asked) > 0 {
		t.Error(asked)
	}
}

// endedAt is when a run has ended, in messages.
var endedAt = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

// A day is done again, and a file that has grown is read from where it was, with an index in a
// bucket as with one in a directory, whichever machine does it.
func TestIndexInBucketIsTakenBack(t *testing.T) {
	server, dir := startBucket(t), t.TempDir()
	inputs := days(3)
	at := func(index string) string {
		return filepath.Join(dir, strings.NewReplacer(":", "", "/", "-").Replace(index))
	}
	local := filepath.Join(dir, "idx")
	both := func(what string, wantCode int, argsOf func(index string) []string) (of [2]bucketRun) {
		t.Helper()
		for i, index := range []string{local, bucketIndex} {
			of[i] = runWithCache(t, t.TempDir(), "", argsOf(index)...)
			if of[i].code != wantCode {
				t.Fatalf("%s of %s: %+v, want the code %d", what, index, of[i], wantCode)
			}
		}
		names := strings.NewReplacer(at(bucketIndex), at(local), bucketIndex, local)
		for i := range of {
			of[i].messages = endedAt.ReplaceAllString(names.Replace(of[i].messages), "")
		}
		if of[0].messages != of[1].messages {
			t.Errorf("%s: the bucket says %q, the directory %q", what, of[1].messages, of[0].messages)
		}
		return of
	}
	filter := func(input string) func(index string) []string {
		return func(index string) []string {
			return []string{"-q", "--memory", "exact", "--index", index, "-o", at(index) + ".out", input}
		}
	}
	input := filepath.Join(dir, "day.jsonl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(input, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	outputs := func() (text [2]string) {
		t.Helper()
		for i, index := range []string{local, bucketIndex} {
			out, err := os.ReadFile(at(index) + ".out")
			if err != nil {
				t.Fatal(err)
			}
			text[i] = string(out)
		}
		return text
	}

	write(inputs[0])
	both("the first day", 0, filter(input))
	first := outputs()
	write(inputs[0] + inputs[1]) // it has grown: the output is as of one run
	both("what has grown", 0, filter(input))
	grown, want := outputs(), runWithCache(t, t.TempDir(), inputs[0]+inputs[1], "-q", "--memory", "exact")
	if grown != [2]string{want.out, want.out} || len(want.out) <= len(first[0]) {
		t.Errorf("%d and %d bytes, want %d", len(grown[0]), len(grown[1]), len(want.out))
	}

	write(inputs[2]) // another input, to the output of that run: refused, and nothing is harmed
	both("another input", 1, filter(input))
	if outputs() != grown {
		t.Error("a good output is harmed")
	}

	both("undo", 0, func(index string) []string { return []string{"index", "undo", index} })
	for i := range grown {
		if err := os.Remove(at([]string{local, bucketIndex}[i]) + ".out"); err != nil {
			t.Fatal(err)
		}
	}
	write(inputs[1])
	both("the day again", 0, filter(input))
	if again := outputs(); again != [2]string{grown[0][len(first[0]):], grown[0][len(first[0]):]} {
		t.Errorf("%d bytes with the bucket, %d with the directory", len(again[1]), len(again[0]))
	}
	verified := both("verify", 0, func(index string) []string { return []string{"index", "verify", index} })
	if !strings.HasPrefix(verified[1].out, bucketIndex+": whole") || hasLock(server) {
		t.Errorf("%+v", verified[1])
	}
}
