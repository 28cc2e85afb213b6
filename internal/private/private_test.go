package private

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestModesFollowTheDirectory(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for mode, want := range map[fs.FileMode]fs.FileMode{
		0o700: 0o600, 0o755: 0o644, 0o750: 0o640, 0o770: 0o660, 0o711: 0o600,
	} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if got := File(name); got != want {
			t.Errorf("a file in a directory of mode %o has %o, want %o", mode, got, want)
		}
		if got := Subdirectory(name); got != mode {
			t.Errorf("a directory in one of mode %o has %o", mode, got)
		}
	}
	if got := File(filepath.Join(dir, "none", "file")); got != 0o600 {
		t.Errorf("a file in a directory that there is not has %o", got)
	}
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().Perm()&^File(name) != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
