package index

import (
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/indexbucket"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/shown"
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
	if err == nil {
		err = method.Merge(local.Dirs, local.Output, uint64(local.MaxMemory), describeUnion)
	}
	return x.Finish(err, nil, err == nil)
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
