package tests

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	kills    = flag.Int("kills", 30, "how often each kill test kills the program; 1000 for a thorough run")
	killSeed = flag.Uint64("seed", 1, "of the moments at which the kill tests kill the program")
)

// killer runs the program and kills it at random moments.
type killer struct {
	t       *testing.T
	rng     *rand.Rand
	dir     string
	input   string
	want    []byte        // output of a run that is left alone
	longest time.Duration // that it took
	killed  int
}

// newKiller makes an input in which every third record is a duplicate, and runs it once.
func newKiller(t *testing.T) *killer { return newKillerOf(t, 3000, 40) }

// newKillerOf is newKiller for so many records of so many words.
func newKillerOf(t *testing.T, records, words int) *killer {
	if testing.Short() {
		t.Skip("runs the program many times; the longer run of the tests does it")
	}
	k := &killer{t: t, rng: rand.New(rand.NewPCG(*killSeed, 2)), dir: t.TempDir()}
	k.input = filepath.Join(k.dir, "input.jsonl")
	var input bytes.Buffer
	for i := range records {
		text := rand.New(rand.NewPCG(uint64(i-i%3/2), 3)) // records 3n+1 and 3n+2 share their text
		fmt.Fprintf(&input, `{"id":%d,"text":"`, i)
		for range words {
			fmt.Fprintf(&input, "%x ", text.Uint32())
		}
		input.WriteString("\"}\n")
	}
	if err := os.WriteFile(k.input, input.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	var want bytes.Buffer
	if !k.run(&want, 0, "--index", filepath.Join(k.dir, "reference"), "--checkpoint", strconv.Itoa(records/30)) {
		t.Fatal("the run that was left alone failed")
	}
	k.longest, k.want = time.Since(started), want.Bytes()
	if n := bytes.Count(k.want, []byte("\n")); n != records/3*2 {
		t.Fatalf("%d records were kept, not %d", n, records/3*2)
	}
	return k
}

// run starts the program with the input on standard input and kills it after the given time, if
// that is not 0. It reports whether the program came to its end; any end but success and SIGKILL
// fails the test.
func (k *killer) run(stdout io.Writer, after time.Duration, args ...string) bool {
	k.t.Helper()
	in, err := os.Open(k.input)
	if err != nil {
		k.t.Fatal(err)
	}
	defer in.Close()
	path, err := exec.LookPath("mithril-stream")
	if err != nil {
		k.t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"-q", "--capacity", "500"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, stdout, &stderr
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	switch err := cmd.Wait(); exitCode(err) {
	case 0:
		return true
	case -1: // by a signal
		k.killed++
		return false
	default:
		k.t.Fatalf("after %d kills: %v: %s", k.killed, err, &stderr)
		return false
	}
}

// untilDone repeats a run until one comes to its end. Each gets more time than the one before,
// since the machine may have become busier than it was when the time was taken.
func (k *killer) untilDone(attempt func(after time.Duration) bool) {
	for most := k.longest * 5 / 4; !attempt(1 + time.Duration(k.rng.Int64N(int64(most)))); most += most / 16 {
	}
}

// sumUp says what was done, and how to do it again.
func (k *killer) sumUp(runs, twice int) {
	k.t.Logf("seed %d: %d kills in %d runs: 0 records lost, %d emitted twice", *killSeed, k.killed, runs, twice)
}

func (k *killer) fresh(name string) string {
	path := filepath.Join(k.dir, name)
	if err := os.RemoveAll(path); err != nil {
		k.t.Fatal(err)
	}
	return path
}

func (k *killer) expectFile(path string) {
	k.t.Helper()
	f, err := os.Open(path)
	if err != nil {
		k.t.Fatal(err)
	}
	defer f.Close()
	var contents io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if contents, err = gzip.NewReader(f); err != nil {
			k.t.Fatal(err)
		}
	}
	got, err := io.ReadAll(contents)
	if err != nil {
		k.t.Fatal(err)
	}
	if !bytes.Equal(got, k.want) {
		k.t.Fatalf("after %d kills the output has %d bytes in %d records, want %d in %d",
			k.killed, len(got), bytes.Count(got, []byte("\n")), len(k.want), bytes.Count(k.want, []byte("\n")))
	}
}

// TestKillWithCheckpointsIntoAFile is exactly once: whenever the program is killed, resuming it
// gives the same file.
func TestKillWithCheckpointsIntoAFile(t *testing.T) {
	k := newKiller(t)
	runs := 0
	for ; k.killed < *kills; runs++ {
		index, out := k.fresh("index"), k.fresh([]string{"out.jsonl", "out.jsonl.gz"}[runs%2])
		k.untilDone(func(after time.Duration) bool {
			return k.run(nil, after, "--index", index, "--checkpoint", "100", "--resume", "-o", out)
		})
		k.expectFile(out)
		k.untilDone(func(after time.Duration) bool { // once more, after its end
			return k.run(nil, after, "--index", index, "--checkpoint", "100", "--resume", "-o", out)
		})
		k.expectFile(out)
	}
	k.sumUp(runs, 0)
}

// TestKillWithCheckpointsIntoAPipe is at least once (I3): the reader of the pipe misses nothing.
func TestKillWithCheckpointsIntoAPipe(t *testing.T) {
	k := newKiller(t)
	runs, twice := 0, 0
	for ; k.killed < *kills; runs++ {
		index := k.fresh("index")
		var read []string
		k.untilDone(func(after time.Duration) bool {
			var part bytes.Buffer
			done := k.run(&part, after, "--index", index, "--checkpoint", "100", "--resume")
			whole := part.String()[:bytes.LastIndexByte(part.Bytes(), '\n')+1] // a kill may tear the last line
			read = append(read, strings.SplitAfter(whole, "\n")...)
			return done
		})
		read = slices.DeleteFunc(read, func(line string) bool { return line == "" })
		emitted := len(read)
		slices.Sort(read)
		read = slices.Compact(read)
		twice += emitted - len(read)
		want := strings.SplitAfter(strings.TrimSuffix(string(k.want), "\n"), "\n")
		want[len(want)-1] += "\n"
		slices.Sort(want)
		if !slices.Equal(read, want) {
			t.Fatalf("after %d kills %d different records were read, want %d", k.killed, len(read), len(want))
		}
	}
	k.sumUp(runs, twice)
}

// TestKillWithExactMemory is exactly once too, of the output and of what is said about originals.
// The log of signatures is whole whenever the program has come to its end.
func TestKillWithExactMemory(t *testing.T) {
	newKiller(t).originals(1000, "--memory", "exact", "--checkpoint", "100")
}

// TestKillWithExactMemoryOnDisk is the same of an index of which a part goes to files that have no
// name: there must be more records than the least that are in memory.
func TestKillWithExactMemoryOnDisk(t *testing.T) {
	k := newKillerOf(t, 75_000, 6)
	if files := k.originals(25_000, "--memory", "exact", "--max-memory", "14M", "--checkpoint", "10000"); files == 0 {
		t.Error("nothing went to disk")
	}
}

// TestKillWithFingerprints is the same of a memory of fingerprints.
func TestKillWithFingerprints(t *testing.T) {
	newKiller(t).originals(1000, "--sketch", "simhash", "--checkpoint", "100")
}

// TestKillWithAutoMemory is the same where the program may be killed on both sides of the record
// from which on Bloom filters judge, and on the way over.
func TestKillWithAutoMemory(t *testing.T) {
	newKiller(t).originals(500, "--memory", "auto", "--max-memory", "220440", "--checkpoint", "100")
}

// TestKillWhileForgetting is the same of a memory that drops the oldest of eight generations: what
// a run is given again for may name records that are forgotten.
func TestKillWhileForgetting(t *testing.T) {
	newKiller(t).originals(1000, "--memory", "exact", "--keep-generations", "3", "--checkpoint", "100")
}

// originals kills runs that name originals, which is said of so many records, and expects what a
// run says that is left alone. It returns how many bytes that one had in files without a name.
func (k *killer) originals(named int, options ...string) (fileBytes uint64) {
	t := k.t
	args := func(index, out, originals string) []string {
		return append([]string{"--id", "id", "--index", index, "--resume", "-o", out, "--originals", originals},
			options...)
	}
	reference := filepath.Join(k.dir, "exact")
	if !k.run(nil, 0, append(args(reference, reference+".jsonl", reference+".tsv"), "--stats", reference+".json")...) {
		t.Fatal("the run that was left alone failed")
	}
	if k.expectFile(reference + ".jsonl"); k.killed != 0 {
		t.Fatal("it was killed")
	}
	want, err := os.ReadFile(reference + ".tsv")
	count := bytes.Count(want, []byte("\t1\n"))
	if err != nil || count != named || !bytes.HasPrefix(want, []byte("2\t1\t1\n5\t4\t1\n")) {
		t.Fatalf("%v: %d originals are named: %.100s", err, count, want)
	}
	var stats struct {
		Exact struct {
			FileBytes uint64 `json:"file_bytes"`
		}
	}
	text, err := os.ReadFile(reference + ".json")
	if err := errors.Join(err, json.Unmarshal(text, &stats)); err != nil {
		t.Fatal(err)
	}
	runs := 0
	for ; k.killed < *kills; runs++ {
		index, out, originals := k.fresh("index"), k.fresh("out.jsonl"), k.fresh("originals.tsv")
		for range 2 { // once more, after its end
			k.untilDone(func(after time.Duration) bool { return k.run(nil, after, args(index, out, originals)...) })
			k.expectFile(out)
			if got, err := os.ReadFile(originals); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("after %d kills %d bytes are said about originals, want %d (%v)", k.killed, len(got),
					len(want), err)
			}
			if status, err := exec.Command("mithril-stream", "index", "verify", index).CombinedOutput(); err != nil {
				t.Fatalf("after %d kills: %v: %s", k.killed, err, status)
			}
		}
	}
	k.sumUp(runs, 0)
	return stats.Exact.FileBytes
}

// expectIndex compares the index with that of a run that was left alone, byte for byte.
func (k *killer) expectIndex(dir string) {
	k.t.Helper()
	want := filepath.Join(k.dir, "undisturbed")
	if _, err := os.Stat(want); err != nil && !k.run(nil, 0, "--index", want, "-o",
		filepath.Join(k.dir, "undisturbed.jsonl")) {
		k.t.Fatal("the run that was left alone failed")
	}
	names, err := filepath.Glob(filepath.Join(want, "[lb]*-*"))
	if err != nil || len(names) == 0 {
		k.t.Fatal(names, err)
	}
	for _, name := range names {
		wanted, err := os.ReadFile(name)
		if err != nil {
			k.t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
		if err != nil || !bytes.Equal(got, wanted) {
			k.t.Fatalf("after %d kills %s has %d bytes, want %d (%v)", k.killed, filepath.Base(name), len(got),
				len(wanted), err)
		}
	}
}

// TestKillWithoutCheckpoints is all or nothing: a run that dies leaves the index as it was, and can
// simply be run again; so can one that is complete (I7).
func TestKillWithoutCheckpoints(t *testing.T) {
	k := newKiller(t)
	runs := 0
	for ; k.killed < *kills; runs++ {
		index, out := k.fresh("index"), k.fresh("out.jsonl")
		k.untilDone(func(after time.Duration) bool {
			return k.run(nil, after, "--index", index, "-o", out)
		})
		k.expectFile(out)
		k.expectIndex(index)
		// The scheduler lost the exit code, and starts the day once more; kills go on.
		k.untilDone(func(after time.Duration) bool {
			return k.run(nil, after, "--index", index, "-o", out)
		})
		k.expectFile(out)
		k.expectIndex(index)
	}
	k.sumUp(runs, 0)
}
