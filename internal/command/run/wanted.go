package run

import (
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// WantedOf is what a run wants of records that are read from paths.
func WantedOf(c *config.Filter, paths []string) formats.Wanted {
	o := c.Output
	return formats.Wanted{
		Settings: c.Records, Paths: paths, MaxRecord: c.MaxRecord,
		Output: o.Output, Duplicates: o.Duplicates, Rejects: o.Rejects, Pattern: c.Shards.Name, Sketches: c.Sketch,
		Compress: compress.Method(o.Compress),
		Form:     formats.Form{GroupRows: uint64(o.RowGroupRows), GroupBytes: int64(o.RowGroupSize)},
		Annotate: o.Annotate, Resumable: isResumable(c),
		Exact: c.Exact || len(c.Key) > 0, Textless: c.Verdicts != "",
		Unwritten: o.Output == "" && o.Duplicates == "" && o.Rejects == "" && c.Shards.OutputDir == "",
		PerInput:  c.Shards.IsSet() && c.Shards.ByInput(),
		Vector:    c.Vector != "", Dims: c.Dims, Tokens: c.TokenIDs != "",
	}
}

// isResumable reports whether a run may be gone on with, or goes on with another one.
func isResumable(c *config.Filter) bool { return c.Index.Checkpoint.IsSet() || c.Index.Resume }

// useShards finds out what the files are called that kept records are divided into, if they are.
func (f *Run) useShards() (err error) {
	c := f.Config
	f.shards, err = shards.New(c.Shards, shards.Run{
		Records: f.Source.Settings, Paths: f.Paths, Compress: compress.Method(c.Output.Compress), Written: c.Written(),
		Indexes: f.indexNames(), Std: f.Std, Kept: &f.Out.kept, Durable: c.Index.Index != "",
	})
	return err
}
