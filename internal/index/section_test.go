package index_test

import (
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/indextest"
)

// TestSectionsReplaceEachOther checks that a section replaces another of the same name, and that
// the state of a section stays until it is removed, even while nobody adds the section.
func TestSectionsReplaceEachOther(t *testing.T) {
	dir := t.TempDir()
	said := func(text string) index.Section {
		return indextest.State{Section: "runs", Bytes: func() ([]byte, error) { return []byte(text), nil }}
	}
	commit := func(want string, change func(w *index.Writer)) {
		t.Helper()
		w := indextest.Open(t, dir)
		change(w)
		indextest.Commit(t, w)
		if got := string(w.LastCommit().State("runs")); got != want {
			t.Errorf("the commit has %q, want %q", got, want)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	commit("two", func(w *index.Writer) {
		w.Add(said("one"))
		w.Add(said("two"))
	})
	commit("two", func(*index.Writer) {})
	commit("", func(w *index.Writer) {
		w.Add(said("three"))
		w.Remove("runs")
	})
	commit("four", func(w *index.Writer) { w.Add(said("four")) })
	commit("", func(w *index.Writer) { w.Add(said("")) })
}
