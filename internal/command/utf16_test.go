package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// TestLinesOfUTF16AreRefused: whoever reads lines refuses those of another encoding by name, and
// takes none of their bytes for records: by flags, by columns, as text. Records that are no lines
// may have any bytes.
func TestLinesOfUTF16AreRefused(t *testing.T) {
	dir := t.TempDir()
	wide := func(text string) (s string) {
		for _, c := range text {
			s += string(c) + "\x00"
		}
		return s
	}
	flags := filepath.Join(dir, "flags")
	write(t, flags, "1\n1\n1\n")
	for name, text := range map[string]string{
		"marked": "\xff\xfe" + wide("{\"id\":1}\n{\"id\":2}"), "unmarked": wide("{\"id\":1}\n{\"id\":2}"),
		"big-endian": "\xfe\xff\x00{\x00\"\x00i\x00d\x00\"\x00:\x001\x00}\x00\n\x00\n",
	} {
		in := filepath.Join(dir, name+".jsonl")
		write(t, in, text)
		for _, args := range [][]string{
			{"apply", "--flags", flags}, {"--format", "text"}, {"--equal"}, {"--equal", "--on-error", "keep"},
			{"--key", "id"}, {"--equal", "--format", "text"},
		} {
			out := filepath.Join(dir, "out")
			said := failing(t, append(args, in, "-o", out)...)
			if !strings.Contains(said, in) || !strings.Contains(said, record.ErrUTF16.Error()) {
				t.Errorf("%s, %s: it says %q", name, args, said)
			}
			for _, path := range []string{out, out + ".partial"} {
				if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
					t.Errorf("%s, %s: it has written %q", name, args, text)
				}
			}
		}
	}
	in, out := filepath.Join(dir, "zeros"), filepath.Join(dir, "kept")
	write(t, in, "a\x00b\x00a\x00")
	runFilter(t, "-q", "--equal", "--format", "text", "--record-separator", `\x00`, in, "-o", out)
	if got := read(t, out); got != "a\x00b\x00" {
		t.Errorf("of records that end with zeros %q are kept", got)
	}
}

// failing runs a command, which must fail, and returns what its error says.
func failing(t *testing.T, args ...string) string {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	return failingTo(t, files.StdoutOf(null), args...)
}

// failingTo is failing with a standard output.
func failingTo(t *testing.T, out files.Stdout, args ...string) string {
	t.Helper()
	cmd, err := config.Parse(args, "test", io.Discard)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	said, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	if err = Run(context.Background(), cmd, files.Streams{In: os.Stdin, Out: out, Err: said}); err == nil {
		t.Fatalf("%q: no error", args)
	}
	return err.Error()
}
