package framelog

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What a newer or an older program has written is whole, and not damaged: who is told so does not
// look for a copy.
func TestLogOfAnotherVersionIsNotDamaged(t *testing.T) {
	write := func(version uint32, kind Kind) (*os.File, int64) {
		file, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		w, err := NewWriter(file, 0, Header{"tests", version, [3]uint64{7}})
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
	of := Contents{Header: Header{"tests", 2, [3]uint64{7}}}
	for name, at := range map[string]struct {
		version uint32
		kind    Kind
	}{"newer version": {3, Forgotten}, "older version": {1, Forgotten}, "kind": {2, lastKind + 1}} {
		file, length := write(at.version, at.kind)
		if err := Read(file, length, of); !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file, length := write(2, Forgotten)
	if err := Read(file, length, of); err != nil {
		t.Error(err)
	}
}
