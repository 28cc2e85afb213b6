package framelog

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What a newer program has written is whole, and not damaged: who is told so does not look for a
// copy.
func TestNewerLogIsNotDamaged(t *testing.T) {
	write := func(version uint64, kind uint32) (*os.File, int64) {
		file, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		w, err := NewWriter(file, 0, Header("mithtest", [4]uint64{version, 7}))
		if err != nil {
			t.Fatal(err)
		}
		w.begin(kind)
		w.Uint64(1)
		length, err := w.Sync()
		if err != nil {
			t.Fatal(err)
		}
		return file, length
	}
	of := Contents{Header: Header("mithtest", [4]uint64{1, 7})}
	for name, at := range map[string]struct {
		version uint64
		kind    uint32
	}{"version": {2, kindForgotten}, "kind": {1, kindForgotten + 1}} {
		file, length := write(at.version, at.kind)
		if err := Read(file, length, of); !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	file, length := write(1, kindForgotten)
	if err := Read(file, length, of); err != nil {
		t.Error(err)
	}
}
