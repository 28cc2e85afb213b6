package config

import "github.com/mithril-stream/mithril-stream/config/values"

// IndexCommands are the commands that work on an index.
type IndexCommands struct {
	Inspect Inspect `cmd:"" help:"Show what an index holds: parameters, records, fill, false-positive rates, files."`
	Verify  Verify  `cmd:"" help:"Check every checksum of an index, with little memory, and report where it is damaged."`
	Compact Compact `cmd:"" help:"Fold the log of an index into its base files, so that it opens faster."`
	Merge   Merge   `cmd:"" help:"Merge several indexes into a new one, which has seen what any of them has seen."`
	Unlock  Unlock  `cmd:"" help:"Remove the lock that a killed run has left on an index in a bucket."`
	Delete  Delete  `cmd:"" help:"Delete records from an index of an exact memory, by name; index undo takes that back until the index is compacted."`
	Undo    Undo    `cmd:"" help:"Undo the last run of an index, as if it had never happened, so that it can be done differently."`
	Settle  Settle  `cmd:"" help:"Give up the last run of an index, or the Kafka consumer that it belongs to, and leave what was written unchanged."`
}

// BucketFlags are the flags of commands whose index may be in a bucket.
type BucketFlags struct {
	RemoteFlags
	CacheFlags
}

// Inspect asks what an index holds.
type Inspect struct {
	Dir  string `arg:"" help:"The directory of the index, or s3://bucket/prefix."`
	JSON bool   `name:"json" help:"Write JSON."`
	BucketFlags
}

// Verify asks whether an index is intact.
type Verify struct {
	Dir string `arg:"" help:"The directory of the index, or s3://bucket/prefix."`
	BucketFlags
}

// Compact asks to fold the log of an index.
type Compact struct {
	Dir string `arg:"" help:"The directory of the index, or s3://bucket/prefix."`
	BucketFlags

	MaxMemory values.Size `range:"[1,)" placeholder:"SIZE" help:"@index/max-memory"`
}

// Delete asks to forget records.
type Delete struct {
	Dir string `arg:"" help:"The directory of the index, or s3://bucket/prefix."`
	IDs string `name:"ids" required:"" placeholder:"FILE" help:"@index/ids"`
	BucketFlags
}

// Merge asks for the union of indexes.
type Merge struct {
	Dirs   []string `arg:"" name:"dir" sep:"none" help:"The directories of the indexes, or s3://bucket/prefix."`
	Output string   `short:"o" required:"" placeholder:"DIR" help:"The directory of the new index, or s3://bucket/prefix."`
	BucketFlags

	MaxMemory values.Size `range:"[1,)" placeholder:"SIZE" help:"@index/Merge.max-memory"`
}

// Undo asks to take back runs.
type Undo struct {
	Dir  string  `arg:"" help:"The directory of the index, or s3://bucket/prefix."`
	Runs int     `range:"[1,)" default:"1" placeholder:"N" help:"@index/runs"`
	To   *uint64 `placeholder:"RUN" help:"Take the index back to its state after this run, by its number in index inspect; 0 is before the first."`
	BucketFlags
}

// Settle asks to accept a run that did not complete.
type Settle struct {
	Dir string `arg:"" help:"The directory of the index."`
}

// Unlock asks to remove the lock of an index in a bucket.
type Unlock struct {
	URL string `arg:"" name:"index" help:"The index, as in s3://bucket/prefix."`
	RemoteFlags
}
