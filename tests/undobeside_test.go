package tests

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a reader has open of an index is never changed below it: a run that is taken back leaves the
// files of then to whoever reads them, and what comes next is written to others. Every kind of
// index is held open while runs are taken back and others follow.
func TestUndoLeavesFilesToReaders(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{
		"filters":             "--capacity 1000",
		"filters that forget": "--capacity 40 --keep-generations 3",
		"exact":               "--memory exact --id id",
		"exact, counted":      "--memory exact --id id --counts counts.jsonl --overwrite",
		"exact that forgets":  "--memory exact --id id --capacity 40 --keep-generations 3",
		"texts":               "--memory exact --id id --verify text",
		"containment":         "--memory exact --id id --verify containment",
		"samples":             "--sketch fracminhash --id id",
		"fingerprints":        "--sketch simhash --id id",
		"auto":                "--memory auto --id id --max-memory 8000 --capacity 1000",
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			fiveDays(t, dir)
			do := func(args string) {
				t.Helper()
				if out, err := programIn(dir, args); err != nil {
					t.Fatalf("%s: %v\n%s", args, err, out)
				}
			}
			day := func(name, how string) {
				t.Helper()
				do(fmt.Sprintf("-q %s --index ix %s -o %s.out --overwrite %s", options, name, name, how))
			}
			day("a", "")
			day("b", "")
			held := holdFiles(t, filepath.Join(dir, "ix"))
			for _, next := range []string{"c", "d", "e"} {
				logs := copyLogs(t, dir)
				do("index undo ix")
				if next == "d" {
					stopBeforeItsEnd(t, logs)
				}
				do("index verify ix")
				held = append(held, holdFiles(t, filepath.Join(dir, "ix"))...)
				day(next, "--repeat judge")
				held = append(held, holdFiles(t, filepath.Join(dir, "ix"))...)
				if strings.Contains(options, "--memory exact") {
					ids := []byte(next + "1\n" + next + "2\n")
					if err := os.WriteFile(filepath.Join(dir, "ids"), ids, 0o600); err != nil {
						t.Fatal(err)
					}
					do("index delete ix --ids ids")
					held = append(held, holdFiles(t, filepath.Join(dir, "ix"))...)
					do("index undo ix")
				}
				for _, h := range held {
					h.check(t)
				}
			}
			do("index verify ix")
		})
	}
}

// fiveDays writes five days of different records.
func fiveDays(t *testing.T, dir string) {
	t.Helper()
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		var text bytes.Buffer
		for n := range 60 {
			fmt.Fprintf(&text, "{\"id\":\"%s%d\",\"text\":\"", name, n)
			for word := range 20 {
				fmt.Fprintf(&text, "w%d ", (i+1)*100_000+n*100+word)
			}
			text.WriteString("\"}\n")
		}
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// copyLogs copies the logs of the index in dir, and returns what each holds.
func copyLogs(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	logs := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(dir, "ix", "exact*"))
	for _, name := range names {
		if err == nil {
			logs[name], err = os.ReadFile(name)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return logs
}

// stopBeforeItsEnd has the files be as an undo leaves them that is killed when the index is taken
// back, and its logs do not have their names yet.
func stopBeforeItsEnd(t *testing.T, before map[string][]byte) {
	t.Helper()
	for name, held := range before {
		info, err := os.Stat(name)
		if err == nil && info.Size() < int64(len(held)) {
			if err = os.Rename(name, name+".undo"); err == nil {
				err = os.WriteFile(name, held, 0o600)
			}
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

func programIn(dir, args string) (string, error) {
	path, err := exec.LookPath("mithril-stream")
	if err != nil {
		return "", err
	}
	cmd := exec.Command(path, strings.Fields(args)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A heldFile is one that a reader has open, and what it held then.
type heldFile struct {
	*os.File
	held []byte
}

// holdFiles opens all files of an index, which no program writes to: all that they hold is
// committed.
func holdFiles(t *testing.T, dir string) (list []heldFile) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		t.Cleanup(func() { file.Close() })
		held, err := io.ReadAll(file)
		list = append(list, heldFile{file, held})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (h heldFile) check(t *testing.T) {
	t.Helper()
	now := make([]byte, len(h.held))
	if n, err := h.ReadAt(now, 0); err != nil && err != io.EOF || !bytes.Equal(now[:n], h.held) {
		t.Errorf("%s has changed for who has it open: %d of %d bytes, %v", filepath.Base(h.Name()), n, len(h.held), err)
	}
}
