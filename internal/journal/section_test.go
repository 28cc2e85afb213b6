package journal

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/indextest"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestCommitsFlushTheJournal checks that a commit of the index flushes the verdicts first, and does
// not count if that fails.
func TestCommitsFlushTheJournal(t *testing.T) {
	dir := t.TempDir()
	w := indextest.Open(t, dir)
	defer w.Close()
	j, err := Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	w.Add(j)
	judged := &script{verdicts: make([]stream.Verdict, 3)}
	r, err := j.Record((&teller{script: judged}).verdictsOf(), 1, 0, Details{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var flushed []string
	fail := ""
	refused := errors.New("refused")
	defer store.Watch(store.Watcher{
		Before: func(o store.Operation) error {
			if fail != "" && o.Kind == store.SyncFile && strings.HasSuffix(o.Path, fail) {
				return refused
			}
			return nil
		},
		After: func(o store.Operation) {
			if o.Kind == store.SyncFile {
				flushed = append(flushed, filepath.Base(o.Path))
			}
		},
	})()
	indextest.Commit(t, w)
	verdicts, commit := slices.Index(flushed, "00000001.verdicts"), slices.Index(flushed, "log-1")
	if verdicts < 0 || commit < verdicts {
		t.Errorf("a checkpoint flushed %q", flushed)
	}
	state, err := Unfinished(w.LastCommit())
	if err != nil || state == nil || state.Number != 1 {
		t.Fatalf("the run is to go on from %+v, %v", state, err)
	}
	r.End(Run{})
	fail = ".verdicts"
	if err := w.Commit(index.Position{}); !errors.Is(err, refused) {
		t.Errorf("a commit whose verdicts are not flushed ended with %v", err)
	}
	if state, err := Unfinished(w.LastCommit()); err != nil || state == nil || len(j.Runs) > 0 {
		t.Errorf("it counts: %+v, %v, %+v", state, err, j.Runs)
	}
}

// TestDamagedStateIsRefused checks that the state in a commit is either read or rejected with an
// error that names it.
func TestDamagedStateIsRefused(t *testing.T) {
	w := indextest.Open(t, t.TempDir())
	defer w.Close()
	if state, err := Unfinished(w.LastCommit()); state != nil || err != nil {
		t.Errorf("an index without runs is to go on from %+v, %v", state, err)
	}
	for _, text := range []string{
		`{"run":"x"}`, `{}`, `{"run":1,"groups":-1}`, `{"run":1,"groups":9000000000000000000}`,
		`{"run":1,"open":{"votes":[` + strings.Repeat("0,", 64) + `0]}}`,
		`{"run":1,"originals":true,"open":{"votes":[0]}}`, `{"run":1,"open":{"originals":[{}]}}`,
		`{"run":1,"of_pieces":{"bytes":-1}}`, `{"run":1,"of_pieces":{"bits":8}}`,
	} {
		w.Add(indextest.State{Section: Name, Bytes: func() ([]byte, error) { return []byte(text), nil }})
		indextest.Commit(t, w)
		if _, err := Unfinished(w.LastCommit()); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: it ended with %v", text, err)
		}
	}
}
