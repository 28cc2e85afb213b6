package compat

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/command"
)

var write = flag.String("write", "", "write what `VERSION` leaves, of the program that is tested")

func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" { // under -race each program that is run would wait a second at its end
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	testscript.Main(m, map[string]func(){"mithril-stream": command.Main})
}

// A kept is something that a release has left: what two days have made, and what the third is
// asked.
type kept struct {
	name  string
	days  [3]string // commands; what the last one prints depends on all
	index bool      // whether all of it is the index idx
}

// filter is an index of the filter under some flags.
func filter(name, flags string) kept {
	day := "day%d.jsonl --index idx " + flags
	return kept{name, [3]string{fmt.Sprintf(day, 1), fmt.Sprintf(day, 2), fmt.Sprintf(day, 3)}, true}
}

var all = []kept{
	filter("default", ""),
	filter("paged", "--filter paged"),
	filter("exact", "--memory exact"),
	filter("containment", "--sketch fracminhash"),
	filter("simhash", "--sketch simhash --memory exact"),
	filter("tlsh", "--sketch tlsh --memory exact"),
	filter("lines", "--method ccnet"),
	filter("generations", "--capacity 5 --keep-generations 3"),
	filter("exact-generations", "--memory exact --capacity 5 --keep-generations 3"),
	{"groups", [3]string{"groups day1.jsonl --index idx", "groups day2.jsonl --index idx",
		"groups day3.jsonl --index idx"}, true},
	{"sketches", [3]string{"sketch day1.jsonl -o 1.sketches", "sketch day2.jsonl -o 2.sketches",
		"dedup 1.sketches 2.sketches"}, false},
	{"signatures", [3]string{"sketch day1.jsonl --signatures -o 1.sketches",
		"sketch day2.jsonl --signatures -o 2.sketches", "groups 1.sketches 2.sketches --flags /dev/stdout"}, false},
}

// refused says what a program says that does not read something any more, by VERSION/NAME. Such a
// line is a change that needs attention: CHANGELOG.md has it under that heading.
var refused = map[string]string{}

func init() {
	for _, k := range all {
		if k.index {
			refused["0.1.0/"+k.name] = "idx/MANIFEST: unknown format version: it is 1, which this program no longer " +
				"reads (it writes 3): build the index again, or use the program that wrote it"
		}
	}
}

// run runs a command in a directory, and returns what it prints.
func run(dir, command string) (out, said string, err error) {
	cmd := exec.Command("mithril-stream", strings.Fields(command)...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

func mustRun(t *testing.T, dir, command string) string {
	t.Helper()
	out, said, err := run(dir, command)
	if err != nil {
		t.Fatalf("mithril-stream %s: %v\n%s", command, err, said)
	}
	return out
}

// inputs copies the three days to a directory.
func inputs(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS("testdata/days")); err != nil {
		t.Fatal(err)
	}
}

// TestKept goes on with what each release has left.
func TestKept(t *testing.T) {
	if *write != "" {
		t.Skip("it is written")
	}
	versions, err := filepath.Glob("testdata/[0-9]*")
	if err != nil || len(versions) == 0 {
		t.Fatalf("testdata has no version: %v", err)
	}
	for _, version := range versions {
		archives, err := filepath.Glob(version + "/*.zip")
		if err != nil || len(archives) < 12 {
			t.Fatalf("%s has %d: %v", version, len(archives), err)
		}
		for _, archive := range archives {
			name := strings.TrimSuffix(filepath.Base(archive), ".zip")
			t.Run(filepath.Base(version)+"/"+name, func(t *testing.T) {
				t.Parallel()
				for _, k := range all {
					if k.name == name {
						k.open(t, archive, refused[filepath.Base(version)+"/"+name])
						return
					}
				}
				t.Errorf("nobody opens %s", archive)
			})
		}
	}
}

// unpack has a directory with the days and what was kept.
func unpack(t *testing.T, archive string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	inputs(t, dir)
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (k kept) open(t *testing.T, archive, refusal string) {
	dir := unpack(t, archive)
	if refusal != "" {
		k.expectRefusal(t, dir, k.days[2], refusal)
		return
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if k.index {
		mustRun(t, dir, "index verify idx")
		mustRun(t, dir, "index inspect idx")
		if !strings.HasPrefix(k.days[1], "groups ") { // which repeat a day only where it replaces a file
			if again := mustRun(t, dir, k.days[1]+" --repeat replay"); again != read("2.out") {
				t.Errorf("the last run, repeated by its journal, printed\n%s", again)
			}
		}
	}
	if out := mustRun(t, dir, k.days[2]); out != read("3.out") {
		t.Errorf("%s printed\n%s\nwant\n%s", k.days[2], out, read("3.out"))
	}
	if !k.index {
		return
	}
	mustRun(t, dir, "index undo idx --runs 2")
	if again := mustRun(t, dir, k.days[1]); again != read("2.out") {
		t.Errorf("after two runs were taken back, the second printed\n%s", again)
	}
}

// expectRefusal expects that a command says something, and changes nothing in the directory.
func (k kept) expectRefusal(t *testing.T, dir, command, says string) {
	t.Helper()
	before := contents(t, dir)
	_, said, err := run(dir, command)
	if err == nil || !strings.Contains(said, says) {
		t.Errorf("mithril-stream %s: %v\n%s", command, err, said)
	}
	if after := contents(t, dir); after != before {
		t.Errorf("mithril-stream %s has changed something:\n%s\nwas\n%s", command, after, before)
	}
}

// contents are the checksums of all files below a directory.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var lines strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		fmt.Fprintf(&lines, "%016x %s\n", xxh3.Hash(data), path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.String()
}
