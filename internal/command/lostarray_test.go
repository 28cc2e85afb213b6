package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

// TestNoArrayOfNothing: where no input could be read nothing is written, not even the brackets of
// an array without elements; where one is an empty array, they are.
func TestNoArrayOfNothing(t *testing.T) {
	dir := t.TempDir()
	path := func(name, text string) string {
		write(t, filepath.Join(dir, name), text)
		return filepath.Join(dir, name)
	}
	foreign, empty, none := path("foreign.json", "garbage"), path("empty.json", ""), path("none.json", "[]")
	for _, c := range []struct {
		inputs []string
		want   string
	}{{[]string{foreign}, ""}, {[]string{empty}, ""}, {[]string{foreign, empty}, ""},
		{[]string{none, foreign}, "[\n\n]\n"}, {[]string{foreign, none}, "[\n\n]\n"}} {
		stdout := filepath.Join(dir, "stdout")
		to, err := os.Create(stdout)
		if err != nil {
			t.Fatal(err)
		}
		failingTo(t, files.StdoutOf(to), append([]string{"--equal", "--format", "json"}, c.inputs...)...)
		if got := read(t, stdout); got != c.want {
			t.Errorf("%s: %q is written, want %q", c.inputs, got, c.want)
		}
	}
}
