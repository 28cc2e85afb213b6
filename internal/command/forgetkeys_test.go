package command

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

// keyTimes are records whose keys come again at all distances, and what remains of them if a key is
// forgotten at an age: of the last record that had it, or of the last one that was kept.
func keyTimes(records int, age int64) (lines []string, bySeen, byKept string) {
	rng, now := rand.New(rand.NewPCG(5, 6)), int64(1_700_000_000)
	seen, kept := map[int]int64{}, map[int]int64{}
	for range records {
		now += rng.Int64N(3)
		key := rng.IntN(200)
		line := fmt.Sprintf("{\"id\":%d,\"date\":%d}\n", key, now)
		lines = append(lines, line)
		if before, isKnown := seen[key]; !isKnown || now-before >= age {
			bySeen += line
		}
		seen[key] = now
		if before, isKnown := kept[key]; !isKnown || now-before >= age {
			byKept += line
			kept[key] = now
		}
	}
	return lines, bySeen, byKept
}

// TestKeysAreForgottenToTheSecond: with --forget-after a key passes again at that age, in one run
// and over several, one of which is undone and repeated.
func TestKeysAreForgottenToTheSecond(t *testing.T) {
	const age = 200
	lines, bySeen, byKept := keyTimes(3000, age)
	for _, by := range [][]string{{"--key", "id"}, {"--equal", "--field", "id"}} {
		for remember, want := range map[string]string{"all": bySeen, "unseen": byKept} {
			options := append([]string{"-q", "--forget-after", fmt.Sprintf("%ds", age), "--time", "date",
				"--remember", remember}, by...)
			dir := t.TempDir()
			whole := filepath.Join(dir, "whole.jsonl")
			write(t, whole, strings.Join(lines, ""))
			runFilter(t, append(options, whole, "-o", filepath.Join(dir, "whole"))...)
			if got := read(t, filepath.Join(dir, "whole")); got != want {
				t.Errorf("%s, --remember %s: in one run something else is kept", by, remember)
			}
			if got := inRuns(t, dir, lines, options); got != want {
				t.Errorf("%s, --remember %s: in several runs something else is kept", by, remember)
			}
			checkReader(t, dir, lines, by, age, remember == "unseen")
		}
	}
}

// inRuns has the records filtered in runs, and returns what these have kept.
func inRuns(t *testing.T, dir string, lines, options []string) (kept string) {
	index := filepath.Join(dir, "index")
	for i := range 6 {
		in, out := filepath.Join(dir, fmt.Sprintf("in%d.jsonl", i)), filepath.Join(dir, fmt.Sprintf("out%d", i))
		write(t, in, strings.Join(lines[i*len(lines)/6:(i+1)*len(lines)/6], ""))
		command := append(options, "--index", index, in, "-o", out)
		runFilter(t, command...)
		first := read(t, out)
		runFilter(t, command...) // repeated
		if got := read(t, out); got != first {
			t.Errorf("%q: repeated it keeps something else", command)
		}
		if i == 3 { // a third of them is taken back
			execute(t, "index", "undo", index)
			runFilter(t, command...)
			if got := read(t, out); got != first {
				t.Errorf("%q: after index undo it keeps something else", command)
			}
		}
		kept += first
	}
	execute(t, "index", "verify", index)
	return kept
}

// checkReader has the index asked, by records that are as old.
func checkReader(t *testing.T, dir string, lines, by []string, age int64, byKept bool) {
	last, now := map[int]int64{}, int64(0)
	for _, line := range lines {
		var key int
		if _, err := fmt.Sscanf(line, `{"id":%d,"date":%d}`, &key, &now); err != nil {
			t.Fatal(err)
		}
		if before, isKnown := last[key]; !byKept || !isKnown || now-before >= age {
			last[key] = now
		}
	}
	asked, want := "", ""
	for key := range 210 {
		at := now + 50
		line := fmt.Sprintf("{\"id\":%d,\"date\":%d}\n", key, at)
		asked += line
		if before, isKnown := last[key]; !isKnown || before <= at-age {
			want += line
		}
	}
	in, out := filepath.Join(dir, "asked.jsonl"), filepath.Join(dir, "asked")
	write(t, in, asked)
	index := filepath.Join(dir, "index")
	for _, how := range [][]string{{"--read-only", "--against", index}, {"--against", index, "--memory", "exact"}} {
		runFilter(t, append(append(how, by...), "-q", in, "-o", out)...)
		if got := read(t, out); got != want {
			t.Errorf("%q: kept\n%swant\n%s", how, got, want)
		}
	}
}

// TestReadersAskByTheirTimes: a reader is answered as of the times of its records, also where the
// last ones of the index were too few to agree on theirs.
func TestReadersAskByTheirTimes(t *testing.T) {
	dir := t.TempDir()
	in, out, index := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out"), filepath.Join(dir, "index")
	options := []string{"-q", "--key", "id", "--forget-after", "1h", "--time", "date", "--index", index}
	text := ""
	for i := range 40 {
		text += fmt.Sprintf("{\"id\":%d,\"date\":%d}\n", i, 1_700_000_000+60*i)
	}
	write(t, in, text)
	runFilter(t, append(options, in, "-o", out)...)
	asked, want := filepath.Join(dir, "asked.jsonl"), ""
	text = ""
	for i := range 40 {
		line := fmt.Sprintf("{\"id\":%d,\"date\":%d}\n", i, 1_700_000_000+3600+60*20)
		if text += line; i <= 20 {
			want += line
		}
	}
	write(t, asked, text)
	runFilter(t, append(options, "--read-only", asked, "-o", out, "--overwrite")...)
	if got := read(t, out); got != want {
		t.Errorf("kept\n%swant\n%s", got, want)
	}
}

// TestDeletedKeyPassesAgain: a key whose first record is deleted is not known any more, although
// copies have come since, also after the index is compacted.
func TestDeletedKeyPassesAgain(t *testing.T) {
	for _, compacts := range []bool{false, true} {
		dir := t.TempDir()
		in, out, index := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out"), filepath.Join(dir, "index")
		options := []string{"-q", "--key", "id", "--forget-after", "1h", "--time", "date", "--index", index, "-o", out}
		text := ""
		for i := range 40 {
			text += fmt.Sprintf("{\"id\":%d,\"date\":%d}\n", i%20, 1_700_000_000+i)
		}
		write(t, in, text)
		runFilter(t, append(options, in)...)
		ids := filepath.Join(dir, "ids")
		write(t, ids, in+":3\n")
		execute(t, "index", "delete", index, "--ids", ids)
		if compacts {
			execute(t, "index", "compact", index)
		}
		again := filepath.Join(dir, "again.jsonl")
		write(t, again, `{"id":1,"date":1700000050}`+"\n"+`{"id":2,"date":1700000051}`+"\n"+
			`{"id":2,"date":1700000052}`+"\n")
		options[len(options)-1] = filepath.Join(dir, "out2")
		runFilter(t, append(options, again)...)
		if got, want := read(t, options[len(options)-1]), `{"id":2,"date":1700000051}`+"\n"; got != want {
			t.Errorf("compacted %t: kept %s, want %s", compacts, got, want)
		}
		execute(t, "index", "verify", index)
	}
}

// execute runs a command, which must succeed.
func execute(t *testing.T, args ...string) {
	t.Helper()
	cmd, err := config.Parse(args, "test", io.Discard)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	std := files.Streams{In: os.Stdin, Out: files.StdoutOf(null), Err: null}
	if err := Run(context.Background(), cmd, std); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
}
