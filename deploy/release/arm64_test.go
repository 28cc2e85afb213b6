package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// alike are commands whose outputs and files depend on the input alone. They read the golden texts,
// which have all scripts and odd characters.
var alike = []string{
	"sketch normalize.jsonl --field input -o sketches",
	"sketch text.jsonl -o sketches",
	"sketch tokenize.jsonl --field input --tokenize char --shingle-size 7 -o sketches",
	"text.jsonl --index idx",
	"text.jsonl --index idx --filter paged",
	"text.jsonl --index idx --memory exact --threshold 0.5",
	"text.jsonl --index idx --sketch fracminhash",
	"text.jsonl --index idx --sketch simhash",
	"text.jsonl --index idx --sketch tlsh",
	"text.jsonl --index idx --method ccnet",
	"groups text.jsonl --clusters clusters",
	"audit text.jsonl",
}

// TestArm64RunsAlike has the program for arm64, under qemu, write the bytes that the one for amd64
// writes: the processors differ in how they round products that are added, and amd64 has assembly.
func TestArm64RunsAlike(t *testing.T) {
	if *dist == "" {
		t.Skip("there is no release to run: make release-check has one")
	}
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("qemu-aarch64 is not installed: it runs programs for arm64")
	}
	programs := map[string][]string{"amd64": nil, "arm64": {qemu}}
	for processor, command := range programs {
		archives, err := filepath.Glob(filepath.Join(*dist, "*-linux-"+processor+".tar.gz"))
		if err != nil || len(archives) != 1 {
			t.Fatalf("%v, %v", archives, err)
		}
		dir := t.TempDir()
		unpack := exec.Command("tar", "-xzf", archives[0], "-C", dir, "--strip-components=1")
		if said, err := unpack.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		programs[processor] = append(command, filepath.Join(dir, name))
	}
	for _, args := range alike {
		want, got := left(t, programs["amd64"], args), left(t, programs["arm64"], args)
		if len(want) < 1 || !maps.EqualFunc(want, got, bytes.Equal) {
			t.Errorf("%s: arm64 leaves %d files that are not the %d of amd64", args, len(got), len(want))
			for path, data := range want {
				if !bytes.Equal(data, got[path]) {
					t.Errorf("%s: %d bytes, %d", path, len(got[path]), len(data))
				}
			}
		}
	}
}

// left is what a command prints and the files that it leaves, but for the journal, which has times.
func left(t *testing.T, program []string, args string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	for _, input := range []string{"normalize.jsonl", "text.jsonl", "tokenize.jsonl"} {
		data, err := os.ReadFile(filepath.Join("../../testdata/golden", input))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, input), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program[0], append(program[1:len(program):len(program)], strings.Fields(args)...)...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", args, err, said.Bytes())
	}
	files := map[string][]byte{"standard output": out}
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, "idx/runs/") {
			files[path], err = os.ReadFile(filepath.Join(dir, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
