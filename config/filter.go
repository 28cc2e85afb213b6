package config

import (
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Filter says what a run over records does. It is complete once constructed and is never modified:
// to change something, make a copy.
type Filter struct {
	Input Input
	spec.Method
	Output Output
	Report Report
	Runs   Runs

	Notes []string // messages to print before anything is read

	Contaminate *Contaminate // what to look for instead of duplicates; may be nil

	flags FilterFlags // some of them identify the run
	dedup *SeenFlags  // as given, if the command is dedup
}

// Input says what is read, and how. A run can be split into three steps, each omitting what the
// other two do; in those, Sketches, Verdicts or Output.Sketches is set.
type Input struct {
	Paths     []string // files, directories and patterns, as given
	Records   layout.Settings
	MaxRecord int   // bytes
	MaxWindow int64 // bytes for the window of a compressed input; 0 for the default
	Remote    RemoteFlags
	Threads   int    // 0 means one per CPU
	ID        string // field that identifies a record; may be empty
	Tokens    string // field with tokens to use instead of text; may be empty
	Unreadable
	Sketches bool   // Paths are files of band keys
	FlagsIn  string // file of flags that says which of them an earlier step kept; may be empty
	Verdicts string // file of flags that says which records to keep; may be empty
}

// Unreadable says what to do with records that have nothing to compare.
type Unreadable struct {
	OnError       string  // keep, divert or fail
	OnErrorGiven  bool    // the user chose OnError
	HasOnError    bool    // the command has a flag for OnError
	MaxUnreadable float64 // the run fails if a larger share of the records cannot be read
	Empty         string  // keep, drop or reject
}

// Output says what is written, and where.
type Output struct {
	OutputFlags
	Originals string        // file for the originals of duplicates; may be empty
	Counts    string        // file for the sizes of groups; may be empty
	Sketches  string        // file for band keys, which are then not judged; may be empty
	Shards    layout.Shards // how kept records are divided into files, if they are
	Edit      Edit
	// SketchesOf is the preset that says how keys in Sketches are to be remembered, if one does.
	SketchesOf string
}

// Edit says what to do with parts of records that were seen before.
type Edit struct {
	Action string // one of the actions; empty means ActionDrop
	Mask   string // replacement text for ActionMask
}

// IsEnabled reports whether parts of records are edited or reported, rather than records removed.
func (e Edit) IsEnabled() bool { return e.Action != "" && e.Action != ActionDrop }

// Report describes the page about a run, and the checks on its result.
type Report struct {
	ReportFlags
	GateFlags
	Audit int // how many removed and how many kept records are compared exactly for it; 0 for none
}

// Runs links a run to earlier and later runs with the same index.
type Runs struct {
	Checkpoint values.Checkpoint
	Resume     bool
	RepeatFlags
	CacheFlags
}

// Written returns the files that the run writes. Those that were not asked for are empty.
func (f *Filter) Written() []string {
	o := f.Output
	return []string{o.Output, o.Duplicates, o.Rejects, o.Flags, o.Stats, o.Sketches, o.Originals, o.Counts,
		f.Report.Report}
}

// WithPaths returns a copy of the filter with other inputs.
func (f Filter) WithPaths(paths []string) Filter {
	f.Input.Paths = paths
	return f
}

// WithIndexes returns a copy of the filter whose indexes are in other directories.
func (f Filter) WithIndexes(own string, against []string) Filter {
	f.Memory.Index, f.Memory.Against = own, against
	return f
}

// WithDims returns a copy of the filter for records whose vectors have dims dimensions.
func (f Filter) WithDims(dims int) Filter {
	f.Rule.Vectors.Dims = dims
	return f
}

// WrittenAs returns a copy of the filter that writes records in another format.
func (f Filter) WrittenAs(format string) Filter {
	f.Input.Records.To = format
	return f
}

// Unwritten returns a copy of the filter that reads the same records and writes nothing.
func (f Filter) Unwritten() Filter {
	f.Output, f.Report = Output{OutputFlags: OutputFlags{Quiet: f.Output.Quiet}}, Report{}
	return f
}

// WithoutProgress returns a copy of the filter that reports no progress.
func (f Filter) WithoutProgress() Filter {
	f.Output.Quiet = true
	return f
}

// OfSketches returns a copy of the filter for files of sketches, which contain no records to write.
// If only flags are written, and no file is named for them, they go to standard output.
func (f Filter) OfSketches(flagsAlone bool) Filter {
	f.Input.Sketches, f.Output.Output = true, ""
	f.Rule.Verification = spec.Verification{Verify: spec.VerifySignature}
	if flagsAlone && f.Output.Flags == "" {
		f.Output.Flags = "-"
	}
	return f
}

// AsStored returns a copy of the filter that uses the method its index was made with.
func (f Filter) AsStored(m spec.Method) Filter {
	if f.Method = m; m.Rule.Verify == spec.VerifySignature {
		f.flags.Verify = "" // as in asResumed
	}
	return f
}

// WithFields returns a copy of the filter that takes text from other fields.
func (f Filter) WithFields(fields []string) Filter {
	f.Input.Records.Fields = fields
	return f
}
