package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestCheckpointMakesNamesDurable checks that the name of a run's record becomes durable with its
// contents at the first checkpoint, since commits refer to it by name from then on.
func TestCheckpointMakesNamesDurable(t *testing.T) {
	for _, kept := range []Details{{}, {Votes: true}} {
		index := t.TempDir()
		j, err := Open(index, 0)
		if err != nil {
			t.Fatal(err)
		}
		var durable []string
		dir := filepath.Join(index, Name)
		stop := store.Watch(store.Watcher{After: func(o store.Operation) {
			if o.Kind == store.SyncDir && o.Path == dir {
				durable = nil
				entries, err := os.ReadDir(dir)
				for _, e := range entries {
					durable = append(durable, e.Name())
				}
				if err != nil {
					t.Error(err)
				}
			}
		}})
		s := &script{verdicts: make([]stream.Verdict, 3)}
		r, err := j.Record((&teller{script: s}).verdictsOf(), 1, 0, kept)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.checkpoint(); err != nil {
			t.Fatal(err)
		}
		if want := fileName(1, verdictsSuffix); !slices.Contains(durable, want) {
			t.Errorf("after a checkpoint the durable names are %q, without %s", durable, want)
		}
		stop()
		if err := errors.Join(r.Close(), j.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
