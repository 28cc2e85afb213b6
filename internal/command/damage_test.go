package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// filterFiles runs the filter over files, or if there are none over stdin, and returns what it
// wrote, said, and would have exited with.
func filterFiles(t *testing.T, stdin string, paths ...string) (out []byte, said string, code int) {
	t.Helper()
	dir := t.TempDir()
	output := filepath.Join(dir, "out")
	cmd, err := config.Parse(append([]string{"--format", "text", "--capacity", "5000", "-q", "-o", output}, paths...),
		"test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(stdin)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	std := files.Streams{In: in, Out: files.StdoutOf(os.Stdout), Err: os.Stderr}
	code, said = Outcome(Run(context.Background(), cmd, std), nil)
	if out, err = os.ReadFile(output); errors.Is(err, os.ErrNotExist) {
		out, err = os.ReadFile(output + ".partial")
		if errors.Is(err, os.ErrNotExist) {
			err = nil // nothing was written, and nothing is left of it
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, said, code
}

var places = flag.Int("places", 25,
	"at how many places files of each compressed format are damaged, in each way; 200 for a thorough run")

// TestDamagedFiles cuts and changes a file of each compressed format at many places: it is never
// read as shorter than it is without a word, every record before the damage is there, none after
// it is made up, and so is the next file.
func TestDamagedFiles(t *testing.T) {
	places := *places
	if testing.Short() {
		places = min(places, 3)
	}
	dir := t.TempDir()
	next := filepath.Join(dir, "next.txt")
	if err := os.WriteFile(next, []byte("quite another line\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{".gz", ".zst", ".bz2", ".xz"} {
		whole := filepath.Join("..", "compress", "testdata", "sample"+suffix)
		data, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		reference, said, code := filterFiles(t, os.DevNull, whole)
		if code != ExitOK || bytes.Count(reference, []byte("\n")) != 4000 {
			t.Fatalf("%s: %d records, exit code %d: %s", whole, bytes.Count(reference, []byte("\n")), code, said)
		}
		path := filepath.Join(dir, "damaged"+suffix)
		rng := rand.New(rand.NewPCG(7, uint64(len(data))))
		for i := range places {
			at := rng.IntN(len(data))
			changed := bytes.Clone(data)
			changed[at] ^= byte(1 + rng.IntN(255))
			for what, damaged := range map[string][]byte{"cut": data[:at], "changed": changed} {
				name := fmt.Sprintf("%s %s at %d of %d", suffix, what, at, len(data))
				if err := os.WriteFile(path, damaged, 0o666); err != nil {
					t.Fatal(err)
				}
				before, broken := linesBefore(damaged, path)
				if !bytes.HasPrefix(reference, before) {
					continue // the magic is damaged: this is another file, which is read as what it is
				}
				if !broken && what == "changed" && !bytes.Equal(before, reference) {
					t.Errorf("%s: a short read without an error", name)
				}
				out, said, code := filterFiles(t, os.DevNull, path, next)
				if want := string(before) + "quite another line\n"; string(out) != want {
					t.Errorf("%s: %d bytes of output, want %d", name, len(out), len(want))
				}
				checkOutcome(t, name, code, said, broken, ExitLost, path)
				if i%5 == 0 && broken {
					out, said, code = filterFiles(t, path)
					if code == ExitOK || !bytes.Equal(out, before) {
						t.Errorf("%s on standard input: %d bytes of output, want %d; exit code %d", name, len(out),
							len(before), code)
					}
					checkOutcome(t, name, code, said, broken, ExitFailed, "stdin")
				}
			}
		}
	}
}

// linesBefore returns the whole lines that come before the damage, and whether there is any.
func linesBefore(data []byte, path string) (lines []byte, broken bool) {
	r, err := compress.NewReader(io.NopCloser(bytes.NewReader(data)), path, 0)
	if err != nil {
		return nil, true
	}
	lines, err = io.ReadAll(r)
	if err != nil {
		lines = lines[:bytes.LastIndexByte(lines, '\n')+1]
	}
	return lines, err != nil
}

func checkOutcome(t *testing.T, name string, code int, said string, broken bool, want int, path string) {
	t.Helper()
	if !broken {
		want = ExitOK
	}
	if code != want || broken && !(strings.Contains(said, path) && strings.Contains(said, "byte")) {
		t.Errorf("%s: exit code %d, want %d; %q", name, code, want, said)
	}
}
