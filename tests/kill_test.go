package tests

import (
	"bytes"
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
	kills    = flag.Int("kills", 30, "how often kill tests kill the program, half of it in long runs; 1000 is thorough")
	killSeed = flag.Uint64("seed", 1, "of the moments at which the kill tests kill the program")
)

// isThorough reports whether kill tests kill the program more often than by default.
func isThorough() bool { return *kills > 30 }

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
	got, err := os.ReadFile(path)
	if err != nil {
		k.t.Fatal(err)
	}
	if !bytes.Equal(got, k.want) {
		k.t.Fatalf("after %d kills the output has %d bytes in %d records, want %d in %d",
			k.killed, len(got), bytes.Count(got, []byte("\n")), len(k.want), bytes.Count(k.want, []byte("\n")))
	}
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

// TestKillWithExactMemoryOnDisk resumes an index part of which goes to files without a name, which
// needs more records than the least that stay in memory. The output and the originals are those of
// an undisturbed run, and the index is whole.
func TestKillWithExactMemoryOnDisk(t *testing.T) {
	k := newKillerOf(t, 63_000, 6)
	if files := k.originals(21_000, "--memory", "exact", "--max-memory", "14M", "--checkpoint", "10000"); files == 0 {
		t.Error("nothing went to disk")
	}
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
	for ; k.killed < *kills/2; runs++ { // each run takes as long as several of the other test
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
