package run

import (
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// RequestOf returns what a run wants of the records of these paths.
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

// isResumable reports whether a run can be continued later, or continues another one.
func isResumable(c *config.Filter) bool { return c.Runs.Checkpoint.IsSet() || c.Runs.Resume }

// divide names the files among which kept records are divided; it returns nil if there is only one.
// file is the current one.
func divide(j job, from *Source, file **files.Output) (*shards.Files, error) {
	c := j.Config
	return shards.New(c.Output.Shards, shards.Run{
		Records: from.Settings, Paths: from.Paths, Compress: compress.Method(c.Output.Compress), Written: c.Written(),
		Indexes: j.indexNames(), Std: from.Std, Kept: file, Durable: c.Memory.Index != "",
	})
}
