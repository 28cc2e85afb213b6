// Package indextest opens indexes for the tests of their sections.
package indextest

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// Open opens the index in dir, which has no base and no parameters, or creates it.
func Open(t storetest.TB, dir string) *index.Writer {
	t.Helper()
	w, err := index.OpenWriter(index.System, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, exists := w.Parameters(); exists {
		err = w.Load(index.NoBase{}, index.VerifyFrames)
	} else {
		err = w.Create(nil, index.NoBase{}, index.Position{})
	}
	if err != nil {
		t.Fatal(errors.Join(err, w.Abandon()))
	}
	return w
}

// Commit makes a commit of an index that Open has opened.
func Commit(t storetest.TB, w *index.Writer) {
	t.Helper()
	if err := w.Commit(index.Position{}); err != nil {
		t.Fatal(err)
	}
}

// A State is a section that keeps what a function returns.
type State struct {
	Section string
	Bytes   func() ([]byte, error)
}

// Name implements index.Section.
func (s State) Name() string { return s.Section }

// State implements index.Section.
func (s State) State() ([]byte, error) { return s.Bytes() }

// Verify checks every checksum of the index in dir.
func Verify(dir string) error {
	return index.Read(dir, func(from *index.Snapshot) error { return from.Verify(index.System, index.VerifyFrames) })
}

// SkipFlushes has nothing be flushed, which takes most of the time of tests that are not about
// that, until stop is called.
func SkipFlushes() (stop func()) {
	return store.Watch(store.Watcher{
		Before: func(o store.Operation) error {
			if o.Kind == store.SyncFile || o.Kind == store.SyncDir {
				return store.ErrDone
			}
			return nil
		},
		After: func(store.Operation) {},
	})
}
