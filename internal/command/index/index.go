// Package index contains the commands for indexes made by runs: to inspect, verify, compact, merge,
// settle and unlock them, to delete records from them, and to undo runs.
package index

import (
	"context"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/method"
)

// Run runs a command for an index. at returns std with access to indexes in the buckets that the
// flags describe. A deletion may return a MissingError.
func Run(
	ctx context.Context, cmd config.Command, std files.Streams, at func(config.RemoteFlags) files.Streams,
) error {
	switch c := cmd.(type) {
	case *config.Inspect:
		return run.OnIndex(at(c.RemoteFlags), c.Dir, c.CacheFlags, false, func(dir string) error {
			return inspect(dir, c.JSON, std.Out)
		})
	case *config.Verify:
		return run.OnIndex(at(c.RemoteFlags), c.Dir, c.CacheFlags, false, func(dir string) error {
			return verify(dir, c.Dir, std.Out.Said())
		})
	case *config.Compact:
		return run.OnIndex(at(c.RemoteFlags), c.Dir, c.CacheFlags, true, func(dir string) error {
			return method.Compact(dir, uint64(c.MaxMemory), method.UndoOf(dir, 1))
		})
	case *config.Delete:
		return deleteRecords(ctx, c, at(c.RemoteFlags))
	case *config.Undo:
		return run.OnIndex(at(c.RemoteFlags), c.Dir, c.CacheFlags, true, func(dir string) error {
			return undo(c, dir, std)
		})
	case *config.Merge:
		return mergeFrom(c, at(c.RemoteFlags))
	case *config.Unlock:
		return unlock(c, at(c.RemoteFlags))
	case *config.Settle:
		if err := run.InDirectories("index settle", c.Dir); err != nil {
			return err
		}
		return settle(c, std.Out.Said())
	}
	return fmt.Errorf("internal error: no such command %T", cmd)
}
