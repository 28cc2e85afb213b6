package run

import (
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// RequestOf is what a run wants of records that are read from paths.
func RequestOf(c *config.Filter, paths []string) formats.Request {
	o := c.Output
	return formats.Request{
		Settings: c.Input.Records, Paths: paths, MaxRecord: c.Input.MaxRecord,
		Destinations: formats.Destinations{
			Output: o.Output, Duplicates: o.Duplicates, Rejects: o.Rejects, Pattern: o.Shards.Name,
			Sketches: o.Sketches, Compress: compress.Method(o.Compress),
			Form:      formats.Form{GroupRows: uint64(o.RowGroupRows), GroupBytes: int64(o.RowGroupSize)},
			Unwritten: o.Output == "" && o.Duplicates == "" && o.Rejects == "" && o.Shards.OutputDir == "",
		},
		Texts: formats.Texts{
			Exact: c.Rule.Parts.ByEquality(), Key: c.Rule.Parts.IsKey, Textless: c.Input.Verdicts != "",
			Vector: c.Rule.Vectors.Field != "", Dims: c.Rule.Vectors.Dims, Tokens: c.Input.Tokens != "",
		},
		Annotate: o.Annotate, Resumable: isResumable(c), PerInput: o.Shards.IsSet() && o.Shards.ByInput(),
		Unreadable: inputLimit(c),
	}
}

// isResumable reports whether a run may be gone on with, or goes on with another one.
func isResumable(c *config.Filter) bool { return c.Runs.Checkpoint.IsSet() || c.Runs.Resume }

// divide finds out what the files are called that kept records are divided into; it returns nil if
// they are not. file is the one that is written.
func divide(j job, from *Source, file **files.Output) (*shards.Files, error) {
	c := j.Config
	return shards.New(c.Output.Shards, shards.Run{
		Records: from.Settings, Paths: from.Paths, Compress: compress.Method(c.Output.Compress), Written: c.Written(),
		Indexes: j.indexNames(), Std: from.Std, Kept: file, Durable: c.Memory.Index != "",
	})
}
