package memory

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
)

// TestTemporaryLog checks that sets that fit into the log's buffer need no directory for temporary
// files. If there are more, and no directory, the first set that does not fit causes an error; with
// a directory, all sets can be read back.
func TestTemporaryLog(t *testing.T) {
	const words = 1000
	for _, c := range []struct {
		dir  string
		sets int
		ok   bool
	}{
		{filepath.Join(t.TempDir(), "missing"), 100, true}, {filepath.Join(t.TempDir(), "missing"), 1000, false},
		{t.TempDir(), 1000, true},
	} {
		var s Sets
		var err error
		var places []SetPlace
		for i := range c.sets {
			log := s.TemporaryLog(c.dir)
			log.BeginEntry()
			places = append(places, PlaceOf(log.At(), words))
			log.Words(slices.Repeat([]uint64{uint64(i)}, words))
			if err = log.EndEntry(); err != nil {
				break
			}
		}
		if c.ok != (err == nil) || !c.ok && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%+v: %v after %d sets", c, err, len(places))
		}
		for i := 0; c.ok && i < len(places); i++ {
			if set, err := s.Of(places[i], words); err != nil || set[0] != uint64(i) || set[words-1] != uint64(i) {
				t.Fatalf("%+v: set %d is %v, %v", c, i, set[:1], err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
