package files

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func writeText(t *testing.T, path string, contents string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
}

// replace puts another file with such contents in the place of a file.
func replace(t *testing.T, path string, contents string) {
	t.Helper()
	writeText(t, path+".new", contents)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// An input that is read several times must be the same file each time. It may be appended to, since
// its records are counted.
func TestChangedInputIsNoticed(t *testing.T) {
	was := strings.Repeat("one\ntwo\n", 20_000) // longer than both ends that are compared
	for name, c := range map[string]struct {
		change func(path string)
		fine   bool
	}{
		"untouched":         {func(string) {}, true},
		"replaced":          {func(path string) { replace(t, path, strings.Replace(was, "one", "six", 1)) }, false},
		"replaced by equal": {func(path string) { replace(t, path, was) }, false},
		"removed":           {func(path string) { os.Remove(path) }, false},
		"cut off":           {func(path string) { writeText(t, path, was[:8]) }, false},
		"appended to":       {func(path string) { appendTo(t, path, "three\n") }, true},
		"written anew, and longer": {
			func(path string) { writeText(t, path, strings.Replace(was, "one", "seven", 1)) }, false,
		},
		"edited in place": {
			func(path string) {
				writeText(t, path, strings.Replace(was, "one", "six", 1))
				at := time.Now().Add(time.Hour)
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}, false,
		},
	} {
		path := filepath.Join(t.TempDir(), "in.jsonl")
		writeText(t, path, was)
		s := Streams{}
		s.See([]string{"-", path, path})
		c.change(path)
		err := s.CheckUnchanged()
		if (err == nil) != c.fine {
			t.Errorf("%s: %v", name, err)
		}
		want := "input " + path + " has changed while it was read"
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func appendTo(t *testing.T, path, more string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(more)
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
}

// An archive is noted as it was when its members were listed, and a short file is compared whole.
func TestChangedArchiveIsNoticed(t *testing.T) {
	of := func(text string) string {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		err := w.WriteHeader(&tar.Header{Name: "a.jsonl", Size: int64(len(text)), Mode: 0o600, Typeflag: tar.TypeReg})
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	path := filepath.Join(t.TempDir(), "in.tar")
	writeText(t, path, of("one\n"))
	s := Streams{InputAccess: InputAccess{archives: &archives{}, Selection: &Selection{}}}
	members, err := s.Paths([]string{path})
	if err != nil || len(members) != 1 {
		t.Fatal(members, err)
	}
	s.See(members)
	if err := s.CheckUnchanged(); err != nil {
		t.Error(err)
	}
	replace(t, path, of("two\n"))
	if err := s.CheckUnchanged(); err == nil {
		t.Error("an archive that is replaced after the first reading is not noticed")
	}
	s.See(members)
	if err := s.CheckUnchanged(); err == nil {
		t.Error("an archive that is replaced after it was listed is not noticed")
	}
}
