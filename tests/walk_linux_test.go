package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
)

// A walk is a run of a command that shows where its output goes.
type walk struct {
	args  string            // "" where there can be none here
	words bool              // standard output has words about what was done, which the exit code tells, too
	needs map[string]string // what else a flag that names an output needs
}

// walks has a line for every command.
var walks = map[string]walk{
	"": {args: "in.jsonl", needs: map[string]string{
		"--originals": "--memory exact --id id", "--counts": "--memory exact --id id", "--report": "--memory exact",
		"--rejects": "--on-error divert",
	}},
	"groups": {args: "groups in.jsonl --id id", needs: map[string]string{
		"--merged": "--index days", "--rejects": "--on-error divert",
	}},
	"near":          {args: "near --index ix in.jsonl"},
	"templates":     {args: "templates in.jsonl"},
	"pairs":         {args: "pairs in.jsonl --id id --threshold 0.3"},
	"fingerprint":   {args: "fingerprint in.jsonl"},
	"audit":         {args: "audit in.jsonl"},
	"eval":          {args: "eval in.jsonl --cluster c"},
	"substr":        {args: "substr in.jsonl --min-length 5"},
	"boilerplate":   {args: "boilerplate in.jsonl"},
	"contaminate":   {args: "contaminate in.jsonl --items items.jsonl --action remove --findings found"},
	"kafka":         {}, // has a cluster
	"index inspect": {args: "index inspect ix"},
	"index verify":  {args: "index verify ix", words: true},
	"index compact": {args: "index compact ix", words: true},
	"index merge":   {args: "index merge ix -o merged", words: true},
	"index unlock":  {}, // has a bucket
	"index delete":  {args: "index delete ix --ids ids", words: true},
	"index undo":    {args: "index undo ix", words: true},
	"index settle":  {args: "index settle ix", words: true},
	"index":         {}, // has commands of its own
	"plan":          {args: "plan --documents 1e6"},
	"sketch":        {args: "sketch in.jsonl", needs: map[string]string{"--rejects": "--on-error divert"}},
	"dedup":         {args: "dedup in.sketch"},
	"apply":         {args: "apply --flags flags in.jsonl"},
	"idf":           {args: "idf in.jsonl -o table.idf"},
	"judge":         {}, // answers requests of another program
	"version":       {args: "version", words: true},
}

// walkFiles makes what the walks read.
func walkFiles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var in strings.Builder
	for i := range 40 {
		fmt.Fprintf(&in, `{"id":"r%d","c":"%d","s":"a.example","text":"a menu of pages\nrecord %d is about the number %d and has %d words\na footer"}`+"\n",
			i, i/2, i/2, i/2*i/2, i/2+7)
	}
	in.WriteString("no JSON\n")
	for name, text := range map[string]string{
		"in.jsonl": in.String(), "flags": strings.Repeat("1\n0\n", 20) + "1\n", "ids": "r1\n",
		"items.jsonl": `{"text":"a menu of pages record 3 is about the number 9 and has 10 words a footer"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{
		"sketch in.jsonl -o in.sketch", "--memory exact --id id --index ix in.jsonl -o first",
	} {
		if r := walked(t, dir, args, nil); r.code != 0 {
			t.Fatalf("%s: %+v", args, r)
		}
	}
	return dir
}

// walked runs a command in a directory; redirect is what the shell does beside, or nil for nothing.
func walked(t *testing.T, dir, args string, redirect []string) bucketRun {
	t.Helper()
	var out, messages bytes.Buffer
	cmd := exec.Command("sh", "-c", "exec mithril-stream "+args+" "+strings.Join(redirect, " "))
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &messages
	err := cmd.Run()
	return bucketRun{out: out.String(), messages: messages.String(), code: exitCode(err)}
}

// copyOf is a copy of a directory.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestOutputsGoSomewhere walks over all commands: none ends with 0 if its output went nowhere, or
// if it has replaced what it reads.
func TestOutputsGoSomewhere(t *testing.T) {
	base := walkFiles(t)
	for _, name := range slices.Sorted(maps.Keys(newAdvisor(t).flags)) {
		w, known := walks[name]
		if !known {
			t.Errorf("%s has no line in this test: say how it is run", name)
		}
		if w.args == "" {
			continue
		}
		t.Run(strings.ReplaceAll("filter "+name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			whole := walked(t, copyOf(t, base), w.args, nil)
			if whole.code != 0 {
				t.Fatalf("%s: %+v", w.args, whole)
			}
			if whole.out != "" && !w.words {
				w.refusedStdout(t, base, "closed", ">&-")
			}
			if whole.out != "" {
				w.refusedStdout(t, base, "full", "> /dev/full")
			}
			w.walkFlags(t, base)
		})
	}
}

// refusedStdout runs the command with a standard output that takes nothing.
func (w walk) refusedStdout(t *testing.T, base, what, redirect string) {
	t.Helper()
	if r := walked(t, copyOf(t, base), w.args, []string{redirect}); r.code == 0 || r.messages == "" {
		t.Errorf("%s, standard output is %s: %+v", w.args, what, r)
	}
}

// walkFlags writes each file that the command can write to a full disk, and over each file that it
// reads.
func (w walk) walkFlags(t *testing.T, base string) {
	_, named, err := config.ParseFiles(strings.Fields(w.args), "test", io.Discard,
		func(config.RuleQuestion) ([]string, error) { return nil, nil })
	if err != nil && !errors.Is(err, config.ErrStop) {
		t.Fatal(err)
	}
	read := slices.DeleteFunc(named.Read, func(path string) bool {
		_, err := os.Stat(filepath.Join(base, path))
		return errors.Is(err, os.ErrNotExist)
	})
	for _, output := range named.Written {
		args := strings.Join([]string{without(w.args, output.Flag), w.needs[output.Flag], output.Flag}, " ") + " "
		dir := copyOf(t, base)
		r := walked(t, dir, args+"new", nil)
		if r.code != 0 {
			t.Errorf("%s: say what it needs: %+v", args, r)
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, "new")); err != nil {
			t.Errorf("%s: %v", args, err)
		} else if len(text) > 0 {
			if r := walked(t, copyOf(t, base), args+"/dev/full", nil); r.code == 0 || r.messages == "" {
				t.Errorf("%s, which is full: %+v", args, r)
			}
		}
		for _, path := range read {
			w.writesOver(t, copyOf(t, base), args, path)
		}
	}
}

// without returns arguments without a flag that names an output, and its value.
func without(args, flag string) string {
	words := strings.Fields(args)
	at := slices.Index(words, flag)
	if at < 0 && strings.HasPrefix(flag, "--output") {
		at = slices.Index(words, "-o")
	}
	if at < 0 {
		return args
	}
	return strings.Join(slices.Delete(words, at, at+2), " ")
}

// writesOver has the command write over a file that it reads, by its name and by another one.
func (w walk) writesOver(t *testing.T, dir, args, path string) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(dir, path))
	if err == nil {
		err = os.Link(filepath.Join(dir, path), filepath.Join(dir, "link"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{path, "link"} {
		r := walked(t, dir, args+to, nil)
		after, err := os.ReadFile(filepath.Join(dir, path))
		if r.code == 0 || err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s%s, which it reads: %d bytes of %d are left: %+v", args, to, len(after), len(before), r)
		}
	}
}
