package index

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/method"
)

// compactIndex takes out of the index in dir what it does not need: deleted records, and the log of
// its filters.
func compactIndex(c *config.Compact, dir string) error {
	d, err := bloomlsh.Inspect(dir)
	if err != nil {
		return err
	}
	exact, err := method.ExactOf(d.Committed, dir)
	if err == nil && exact != nil && exact.Deleted > 0 {
		err = purgeDeleted(dir, uint64(c.MaxMemory))
	}
	if err != nil {
		return err
	}
	return bloomlsh.Compact(dir, method.UndoOf(dir, 1))
}

// purgeDeleted rewrites the log of an exact memory without deleted records, and commits that. The
// rest of the previous commit stays.
func purgeDeleted(dir string, maxMemory uint64) (err error) {
	index, err := method.OpenToDelete(dir, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	at := index.Store.Committed()
	committed, err := index.Rewrite(maxMemory)
	if err != nil {
		return err
	}
	if at.Meta, err = method.WithExact(at.Meta, committed); err != nil {
		return err
	}
	index.Store.KeepForUndo(method.UndoOf(dir, 1))
	if err := index.Store.Commit(at); err != nil {
		return err
	}
	return index.RemoveOthers(committed)
}
