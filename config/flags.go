package config

import (
	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// page is the start of the address of each document.
const page = "https://github.com/mithril-stream/mithril-stream/blob/main/docs/"

// groups order the flags in the help and name the page that describes each group.
var groups = []kong.Group{
	{Key: "items", Title: "What to look for"},
	{Key: "truth", Title: "The truth"},
	{Key: "grid", Title: "What to try, in all combinations"},
	{Key: "topics", Title: "Topics"},
	{Key: "security", Title: "Connections"},
	{Key: "records", Title: "Records", Description: page + "reference/formats.md"},
	{Key: "text", Title: "What to compare", Description: page + "reference/text.md"},
	{Key: "similar", Title: "What counts as a duplicate", Description: page + "concepts/votes.md"},
	{Key: "index", Title: "The memory of what was seen", Description: page + "reference/index.md"},
	{Key: "output", Title: "Output", Description: page + "reference/files.md"},
	{Key: "service", Title: "Service", Description: page + "recipes/kafka.md"},
	{Key: "run", Title: "The run"},
}

// FilterFlags are the flags of the filter. A flag that a preset may set has no default here, so
// that zero means the user did not set it.
type FilterFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"@flags/file"`

	RecordFlags `group:"records"`
	CompareFlags
	IndexFlags  `group:"index"`
	OutputFlags `group:"output"`
	RememberFlags
	ResultFlags `group:"output"`

	given cmdline.Given // the flags that the user has given

	Stream bool `hidden:"" help:"Accepted because other programs have it: records are always read as a stream."`
}

// CompareFlags say how records are compared.
type CompareFlags struct {
	spec.Text        `group:"text"`
	SimilarFlags     `group:"similar"`
	FingerprintFlags `group:"similar"`
	EmbeddingFlags   `group:"similar"`
	VectorFlags      `group:"similar"`
	TokenFlags       `group:"text"`
	ContainedFlags   `group:"similar"`
	MethodFlags      `group:"similar"`
	WithinFlags      `group:"similar"`
}

// RememberFlags say what is remembered about records, and for how long.
type RememberFlags struct {
	ForgetFlags
	KindFlags
	ExactFlags
	OriginalFlags
}

// ResultFlags say what is counted and reported besides the records, and in which files.
type ResultFlags struct {
	CountFlags
	ShardFlags
	ReportFlags
	GateFlags
	Audit int `not:"told" needs:"--report FILE: there it is shown; mithril-stream audit prints it" range:"[1,1000000]" placeholder:"N" help:"@flags/audit"`
}

// RecordFlags say what a record is, and what to do with one that cannot be compared.
type RecordFlags struct {
	FormatFlags
	To     string `not:"told,edits" placeholder:"NAME" brief:"Convert to jsonl, csv, parquet or arrow" help:"@flags/to"`
	Schema string `not:"told" placeholder:"COLUMNS" help:"@flags/schema"`
	RejectFlags
}

// FormatFlags say what a record is.
type FormatFlags struct {
	ListFlags
	Format string   `not:"sketched" way:"1" placeholder:"NAME" brief:"jsonl, csv, text, parquet, … (default: by name)" help:"@flags/format"`
	Field  []string `rule:"field" not:"texts" run:"same" way:"2" aliases:"text-column" placeholder:"PATH" sep:"none" brief:"Where the text is, or auto (default: text)" help:"@flags/field"`
	SeparatedFlags
	Records string `run:"same" placeholder:"PATH" help:"json: the path to the array of records, such as data or response.items. (default: the input is the array)"`
	LineFlags
	Union string `enum:"by-name,strict" default:"by-name" placeholder:"HOW" help:"@flags/union"`
	CharacterFlags
	AllFiles    bool `help:"@flags/all-files"`
	RemoteFlags `group:"run"`
	MaxWindow   values.Size `group:"run" placeholder:"SIZE" default:"128MiB" help:"@flags/max-window"`
	LimitFlags  `group:"run"`
}

// SeparatedFlags say how the fields of a csv or tsv row are separated.
type SeparatedFlags struct {
	NoHeader  bool   `not:"sketched" run:"same" way:"3" help:"csv, tsv: read the first row as a record, not as a header."`
	Delimiter string `not:"sketched" placeholder:"CHAR" help:"@flags/delimiter"`
	Quoted    bool   `not:"sketched" help:"tsv: fields may be quoted, as in csv. Without it a quote is an ordinary character, and each line is a row."`
	Escape    string `run:"same" placeholder:"CHAR" help:"@flags/escape"`
}

// LineFlags say where a text record ends.
type LineFlags struct {
	RecordSeparator string `not:"sketched" run:"same" way:"4" placeholder:"STRING" help:"text: the string that ends a record, as in \\n\\n. (default: \\n)"`
	Multiline       string `not:"sketched" run:"same" way:"13" placeholder:"BEGINNING" brief:"How each event of a log begins, as in ^[0-9]" help:"@flags/multiline"`
	Null            bool   `not:"sketched" short:"0" help:"text: a NUL ends a record. file: a NUL ends a name, as for xargs -0."`
}

// CharacterFlags say how inputs are encoded.
type CharacterFlags struct {
	Encoding    string `run:"same" way:"11" placeholder:"NAME" help:"@flags/encoding"`
	InvalidUTF8 string `name:"invalid-utf8" run:"same" way:"12" values:"refuse,replace" placeholder:"WHAT" help:"@flags/invalid-utf8"`
}

// RemoteFlags say how to reach s3:// addresses.
type RemoteFlags struct {
	S3Endpoint string `name:"s3-endpoint" placeholder:"URL" help:"The server of s3://. (default: AWS_ENDPOINT_URL, or that of AWS)"`
	S3Region   string `name:"s3-region" placeholder:"NAME" help:"The region of s3://. (default: AWS_REGION, or what the server says)"`
}

// DefaultMaxRecord is the default of --max-record, in bytes.
const DefaultMaxRecord = 64 << 20

// LimitFlags bound the work on records of any format. A record is held in memory as a whole, and
// several copies of it exist while it is processed.
type LimitFlags struct {
	MaxRecord values.Size `run:"same" way:"5" range:"[1,1GiB]" placeholder:"SIZE" default:"64MiB" help:"The longest record to read into memory; a longer one counts as one that cannot be read. (default: ${default})"`
	// MaxUnreadable sets Unreadable.MaxUnreadable of a Filter.
	MaxUnreadable float64 `range:"(0,1]" placeholder:"SHARE" help:"@flags/max-unreadable"`
	Threads       int     `placeholder:"N" help:"How many goroutines parse and sketch. The output does not depend on it. (default: one for each CPU)"`
}

// RejectFlags say what to do with records that have nothing to compare.
type RejectFlags struct {
	OnError string `run:"same" enum:",keep,divert,fail" default:"" placeholder:"WHAT" help:"@flags/on-error"`
	EmptyFlags
}

// EmptyFlags say what to do with records whose text is empty.
type EmptyFlags struct {
	Empty string `run:"same" enum:"keep,drop,reject" default:"keep" placeholder:"WHAT" help:"@flags/empty"`
}

// SimilarFlags say which sets are similar enough to be duplicates.
type SimilarFlags struct {
	spec.Tuning
	Sketch    string     `rule:"yes" not:"similarity,prefix,sketched" placeholder:"HOW" brief:"Other ways to compare: fracminhash, simhash, …" help:"@flags/sketch"`
	BandKey   string     `rule:"yes" not:"bands" default:"" enum:",xxh3,sum" values:"xxh3,sum" placeholder:"HOW" help:"@flags/band-key"`
	GivenSeed *spec.Seed `rule:"yes" not:"bands" name:"seed" placeholder:"N" help:"@flags/seed"`
	Seed      spec.Seed  `kong:"-"` // GivenSeed, or that of the preset
}

// IndexFlags say how seen records are remembered, and when that is made durable.
type IndexFlags struct {
	MemoryFlags
	Checkpoint values.Checkpoint `not:"kinds,read-only" needs:"--index DIR: that is what is committed" placeholder:"WHEN" brief:"Commit the index during the run, such as 10m" help:"@flags/checkpoint"`
	RepeatFlags
	CacheFlags
	Resume bool `not:"kinds,read-only" needs:"--index DIR: it records how far the run has come" brief:"Go on with an interrupted run" help:"@flags/resume"`
}

// CacheFlags say where indexes in buckets are cached.
type CacheFlags struct {
	IndexCache string `not:"kinds" placeholder:"DIR" help:"@flags/index-cache"`
}

// Values of --repeat. By default a repeated run rewrites its earlier output and does nothing else.
const (
	RepeatReplay = "replay"
	RepeatJudge  = "judge"
)

// RepeatFlags say what to do with an input that was read before.
type RepeatFlags struct {
	Repeat    string `not:"kinds,read-only" needs:"--index DIR: it knows which inputs were read" enum:",replay,judge" values:"replay,judge" default:"" placeholder:"WHAT" help:"@flags/repeat"`
	Overwrite bool   `not:"kinds" help:"@flags/overwrite"`
	UndoRuns  int    `not:"kinds,read-only" needs:"--index DIR: its runs are taken back" range:"[0,)" default:"1" placeholder:"N" help:"@flags/undo-runs"`
	KeepRuns  int    `not:"kinds,read-only" needs:"--index DIR: it keeps the verdicts" range:"[0,)" default:"30" placeholder:"N" help:"For how many runs --index keeps the verdicts for --repeat replay, at 190 KB per million records. (default: ${default})"`
}

// MemoryFlags say how and where seen records are remembered.
type MemoryFlags struct {
	spec.OwnIndex
	SeenFlags
}

// SeenFlags describe an index, wherever it is kept, and say what else records are compared with.
type SeenFlags struct {
	Against         []string      `not:"past,audit" run:"same" way:"7" placeholder:"DIR" sep:"none" brief:"Also remove what resembles a record of this index" help:"Also remove records that resemble one of this index, which does not change. Repeat it for several."`
	GivenCapacity   *values.Count `not:"set,kinds" range:"[1,)" name:"capacity" placeholder:"N" brief:"How many records to plan for" help:"@flags/capacity"`
	GivenFPRate     *float64      `rule:"yes" not:"filters,set" range:"(0,1)" name:"fp-rate" placeholder:"P" help:"@flags/fp-rate"`
	OnFull          string        `rule:"yes" not:"filters" default:"grow" enum:"grow,refuse" values:"grow,refuse" placeholder:"WHAT" help:"@flags/on-full"`
	KeepGenerations int           `rule:"yes" not:"past" range:"[1,)" outside:"--keep-generations must be between 2 and 64" placeholder:"N" help:"@flags/keep-generations"`
	Remember        string        `rule:"yes" not:"parts,kinds" default:"" enum:",all,unseen" values:"all,unseen" placeholder:"WHICH" help:"@flags/remember"`
	Filter          string        `rule:"yes" not:"filters" default:"" enum:",tagged,paged,classic" values:"tagged,paged,classic" placeholder:"KIND" help:"@flags/filter"`

	Capacity values.Count `kong:"-"` // GivenCapacity, or the default
	FPRate   float64      `kong:"-"` // GivenFPRate, or the default
}

// OutputFlags say what is written, and where.
type OutputFlags struct {
	Output       string             `not:"sketched" writes:"-" short:"o" placeholder:"FILE" default:"-" brief:"Kept records (default: standard output)" help:"@flags/output"`
	Compress     values.Compression `not:"sketched" values:"gzip,zstd" placeholder:"HOW" help:"@flags/compress"`
	Duplicates   string             `not:"sketched" writes:"records" placeholder:"FILE" brief:"Removed records" help:"Write the removed records to this file, as they came."`
	Rejects      string             `writes:"records" placeholder:"FILE" help:"Write the records that could not be read to this file, as they came."`
	Flags        string             `writes:"records" placeholder:"FILE" help:"Write a line for each record to this file: 1 kept, 0 removed."`
	Annotate     bool               `not:"told,edits,sketched" run:"same" way:"6" help:"Write every record, with the member \"mithril_duplicate\": true, false, or null if it has no text to compare."`
	Stats        string             `writes:"records" placeholder:"FILE" brief:"Counts of the run, as JSON" help:"Write the counts of the run to this file, as JSON."`
	RowGroupRows values.Count       `range:"[1,)" placeholder:"N" help:"Parquet: how many rows a row group has. (default: as many as the largest one of the first FILE has)"`
	RowGroupSize values.Size        `range:"[1,)" placeholder:"SIZE" help:"Parquet: about how large a row group is before compression; memory must hold one, compressed. (default: 128MiB)"`
	Quiet        bool               `short:"q" brief:"No progress and no summary" help:"Print no progress and no summary to standard error."`
}

// ListFlags name a list of inputs, for more names than fit on a command line.
type ListFlags struct {
	FilesFrom string `env:"-" placeholder:"LIST" help:"@listed/files-from"`
}
