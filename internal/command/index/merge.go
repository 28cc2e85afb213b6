package index

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/indexbucket"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// mergeFrom merges indexes, some of which may be in buckets.
func mergeFrom(c *config.Merge, std files.Streams) error {
	x, local := run.NewIndexes(std, c.CacheFlags), *c
	var err error
	local.Output, err = x.Directory(c.Output, true)
	local.Dirs = make([]string, len(c.Dirs))
	for i, path := range c.Dirs {
		if err == nil {
			local.Dirs[i], err = x.Directory(path, false)
		}
	}
	for i, dir := range local.Dirs {
		if err == nil {
			err = mustBeComplete(dir, c.Dirs[i])
		}
	}
	if err == nil {
		err = method.Merge(local.Dirs, local.Output, uint64(local.MaxMemory), describeUnion)
	}
	return x.Finish(err, nil, err == nil)
}

// mustBeComplete refuses the index in dir, which the user calls name, if its last run has not
// ended. Records of that run count as seen, although its output is not complete, and nothing in the
// union would say so.
func mustBeComplete(dir, name string) error {
	return index.Read(dir, func(from *index.Snapshot) error {
		at := from.Committed().Position
		if kafka.StateOf(at) != nil {
			return nil
		}
		last, err := run.StateOf(at, name)
		if err != nil || last == nil || last.Stats.Complete {
			return err
		}
		return fmt.Errorf("%s: its last run has not ended, or stopped after %s: wait for it, run its command again "+
			"with --resume, or give it up with mithril-stream index settle, and then merge", name,
			units.Of(last.Stats.Records, "record"))
	})
}

// describeUnion returns the metadata for the commit of a union.
func describeUnion(of exact.State) ([]byte, error) {
	return jsonout.Marshal(run.State{Stats: stream.Stats{
		Complete: true, Records: of.Records, Duplicates: of.Duplicates,
	}})
}

// unlock removes the lock of an index in a bucket.
func unlock(c *config.Unlock, std files.Streams) error {
	bucket, err := indexbucket.Open(std.Objects, c.URL, "")
	if err != nil {
		return usage.Error(err)
	}
	by, err := bucket.Holder()
	if err == nil && by == nil {
		return shown.Line(std.Out.Said(), "%s: it is not locked", c.URL)
	}
	who := "somebody whose name cannot be read"
	if err == nil {
		who = by.String()
	}
	if err := bucket.Unlock(); err != nil {
		return err
	}
	return shown.Line(std.Out.Said(), "%s: unlocked; it was locked by %s", c.URL, who)
}
