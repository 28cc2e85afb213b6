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
		Settings: c.Input.Records, Paths: paths, MaxRecord: c.Input.MaxRecord,
		Output: o.Output, Duplicates: o.Duplicates, Rejects: o.Rejects, Pattern: o.Shards.Name, Sketches: o.Sketches,
		Compress: compress.Method(o.Compress),
		Form:     formats.Form{GroupRows: uint64(o.RowGroupRows), GroupBytes: int64(o.RowGroupSize)},
		Annotate: o.Annotate, Resumable: isResumable(c),
		Exact: c.Rule.Parts.ByEquality(), Textless: c.Input.Verdicts != "",
		Unwritten: o.Output == "" && o.Duplicates == "" && o.Rejects == "" && o.Shards.OutputDir == "",
		PerInput:  o.Shards.IsSet() && o.Shards.ByInput(),
		Vector:    c.Rule.Vectors.Field != "", Dims: c.Rule.Vectors.Dims, Tokens: c.Input.Tokens != "",
	}
}

// isResumable reports whether a run may be gone on with, or goes on with another one.
func isResumable(c *config.Filter) bool { return c.Runs.Checkpoint.IsSet() || c.Runs.Resume }

// useShards finds out what the files are called that kept records are divided into, if they are.
func (f *Run) useShards() (err error) {
	c := f.Config
	f.shards, err = shards.New(c.Output.Shards, shards.Run{
		Records: f.Source.Settings, Paths: f.Paths, Compress: compress.Method(c.Output.Compress), Written: c.Written(),
		Indexes: f.indexNames(), Std: f.Std, Kept: &f.Out.kept, Durable: c.Memory.Index != "",
	})
	return err
}
