package tests

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// While a run writes to an index, its directory is renamed or deleted, and perhaps another run
// makes an index at its path, as when a copy is put back beside a consumer. The run ends with an
// error that says so; the other index stays as it is, and the one that was moved as of its last
// commit.
func TestIndexSwappedDuringARun(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{
		"filters":             "--capacity 200",
		"filters that forget": "--capacity 100 --keep-generations 3",
		"exact":               "--memory exact",
		"exact that forgets":  "--memory exact --keep-generations 3 --capacity 100",
		"samples":             "--sketch fracminhash",
		"texts":               "--memory exact --verify text",
	} {
		for _, what := range []string{"renamed", "replaced", "deleted"} {
			t.Run(strings.ReplaceAll(name+" "+what, " ", "_"), func(t *testing.T) {
				t.Parallel()
				swap(t, options, what)
			})
		}
	}
}

func swap(t *testing.T, options, what string) {
	dir := t.TempDir()
	fiveDays(t, dir)
	do := func(args string) {
		t.Helper()
		if out, err := programIn(dir, args); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	index, moved := filepath.Join(dir, "ix"), filepath.Join(dir, "iz")
	do("-q " + options + " --index ix a -o a.out")
	day, err := os.ReadFile(filepath.Join(dir, "b"))
	if err != nil {
		t.Fatal(err)
	}
	half := bytes.IndexByte(day[len(day)/2:], '\n') + len(day)/2 + 1

	run := exec.Command("mithril-stream", strings.Fields("-q "+options+" --format jsonl --index ix --checkpoint 10")...)
	run.Dir = dir
	var said strings.Builder
	run.Stderr = &said
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err == nil {
		err = run.Start()
	}
	if err == nil {
		_, err = in.Write(day[:half])
	}
	lines := bufio.NewReader(out)
	for range bytes.Count(day[:half], []byte("\n")) {
		if err == nil {
			_, err = lines.ReadString('\n')
		}
	}
	if err == nil && what == "deleted" {
		err = os.RemoveAll(index)
	} else if err == nil {
		err = os.Rename(index, moved)
	}
	if err != nil {
		t.Fatal(err, said.String())
	}
	if what == "replaced" {
		do("-q " + options + " --index ix c -o c.out")
	}
	before := contentsOf(t, index)
	_, _ = in.Write(day[half:]) // the run may have ended before it has read all
	_ = in.Close()
	_, _ = lines.WriteTo(&bytes.Buffer{})
	if err := run.Wait(); exitCode(err) != 1 {
		t.Errorf("the run ends with %v", err)
	}
	if !strings.Contains(said.String(), "ix: it is not the directory any more") {
		t.Errorf("it says %q", said.String())
	}
	if after := contentsOf(t, index); !maps.EqualFunc(before, after, bytes.Equal) {
		t.Errorf("the files where the index was are %q, and were %q", slices.Sorted(maps.Keys(after)),
			slices.Sorted(maps.Keys(before)))
	}
	if what == "replaced" {
		do("index verify ix")
	}
	if what != "deleted" {
		do("index verify iz")
		do("index undo iz")
		do(fmt.Sprintf("-q %s --index iz b -o b.out", options))
	}
}

// contentsOf is what the files below a directory hold, which may be missing.
func contentsOf(t *testing.T, dir string) map[string][]byte {
	contents := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		contents[path], err = os.ReadFile(path)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return contents
}
