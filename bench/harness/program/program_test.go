package program

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestReadFlags(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flags")
	for content, want := range map[string][]bool{"1\n0\n1\n": {true, false, true}, "": nil} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if kept, err := ReadFlags(path); err != nil || !slices.Equal(kept, want) {
			t.Errorf("%q: %v, %v", content, kept, err)
		}
	}
	if err := os.WriteFile(path, []byte("1\nyes\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFlags(path); err == nil {
		t.Error("no error for a flag that is neither 0 nor 1")
	}
}
