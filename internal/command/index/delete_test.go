package index

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

// FuzzNameOf: a name as JSON, if it is text, is what it stands for, and one that is no string of
// JSON is itself, or is refused.
func FuzzNameOf(f *testing.F) {
	for _, s := range []string{"", `"`, `""`, `a`, `"a"`, `"a\"b"`, `"ä"`, "\x00\xff", `"\u0041"`, `"a"b"`, `{"a":1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, ok := nameOf([]byte(text))
		if !strings.HasPrefix(text, `"`) {
			if name != text || !ok {
				t.Fatalf("%q is called %q, %t", text, name, ok)
			}
			return
		}
		var want string
		isJSON := utf8.ValidString(text) && json.Unmarshal([]byte(text), &want) == nil
		if isJSON && (name != want || !ok) {
			t.Fatalf("%q is called %q, %t, want %q", text, name, ok, want)
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		if again, isName := nameOf(quoted); isJSON && (!isName || again != name) {
			t.Fatalf("%s is called %q, %t, want %q", quoted, again, isName, name)
		}
	})
}

// Names stand on lines, with or without quotes; what is missing is listed, but not all of many.
func TestReadNames(t *testing.T) {
	path := t.TempDir() + "/names"
	if err := os.WriteFile(path, []byte("a\r\n\n\"b c\"\n17\nlast"), 0o666); err != nil {
		t.Fatal(err)
	}
	names, err := readNames(t.Context(), path, files.Streams{})
	if err != nil || len(names) != 4 {
		t.Fatalf("%v, %v", names, err)
	}
	for text, wanted := range map[string]bool{`"a"`: true, `"b c"`: true, "17": true, `"17"`: true, `"b"`: false} {
		if names.want([]byte(text)) != wanted {
			t.Errorf("%s is wanted: %t", text, !wanted)
		}
	}
	if err := names.missing("idx"); err == nil || err.Error() != "idx has no record with 1 of the 4 names: last" {
		t.Errorf("missing: %v", err)
	}
}
