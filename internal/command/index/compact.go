package index

import (
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/method"
)

// compactIndex takes out of the index in dir what it does not need: deleted records, and the log of
// its filters.
func compactIndex(c *config.Compact, dir string) error {
	kept := method.UndoOf(dir, 1)
	has, err := method.HasFilters(dir)
	if err != nil {
		return err
	}
	if has {
		return bloomlsh.Compact(dir, kept)
	}
	return method.Compact(dir, uint64(c.MaxMemory), kept)
}
