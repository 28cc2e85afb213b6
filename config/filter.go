package config

import (
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Filter says what a run over records is to do. It is complete when it is constructed, and never
// written afterwards: to change something, copy it.
type Filter struct {
	Input Input
	spec.Method
	Output Output
	Report Report
	Runs   Runs

	Notes []string // what is said before anything is read

	Contaminate *Contaminate // what is looked for instead of duplicates; may be nil

	flags FilterFlags // some of them identify the run
}

// Input says what is read, and how. A run may be divided into three, where each leaves out what the
// others do: then Sketches or Verdicts is set, or Output.Sketches.
type Input struct {
	Paths     []string // files, directories and patterns, as they were given
	Records   layout.Settings
	MaxRecord int   // bytes
	MaxWindow int64 // bytes of compressed inputs; 0 for the default
	Remote    RemoteFlags
	Threads   int    // 0: one for each CPU
	ID        string // the field that names a record; may be empty
	Tokens    string // the field that has tokens in place of a text; may be empty
	Unreadable
	Sketches bool   // Paths are files of band keys
	FlagsIn  string // the file of flags that says which of them an earlier step has kept; may be empty
	Verdicts string // the file of flags that says which records are kept; may be empty
}

// Unreadable says what happens to records that have nothing to compare.
type Unreadable struct {
	OnError       string  // keep, divert or fail
	OnErrorGiven  bool    // the user has named OnError, and not left it at its default
	HasOnError    bool    // there is a flag for that
	MaxUnreadable float64 // the share of records above which, if they cannot be read, the run fails
	Empty         string  // keep, drop or reject
}

// Output is what is written where.
type Output struct {
	OutputFlags
	Originals string        // where the originals of duplicates go; may be empty
	Counts    string        // where the sizes of groups go; may be empty
	Sketches  string        // where band keys go, instead of being judged; may be empty
	Shards    layout.Shards // of the kept records, if they are divided
	Edit      Edit
}

// Edit is what happens to the parts of records that were seen.
type Edit struct {
	Action string // one of the actions; empty is ActionDrop
	Mask   string // of ActionMask
}

// IsEnabled reports whether records are to be changed, or reported, and not only removed.
func (e Edit) IsEnabled() bool { return e.Action != "" && e.Action != ActionDrop }

// Report is the page that shows a run, and what is asked of its result.
type Report struct {
	ReportFlags
	GateFlags
	Audit int // records removed, and kept, that are compared exactly for it; 0 for none
}

// Runs is what joins a run to those before and after it with the same index.
type Runs struct {
	Checkpoint Checkpoint
	Resume     bool
	RepeatFlags
	CacheFlags
}

// Written are the files that the run writes; empty ones are not asked for.
func (f *Filter) Written() []string {
	o := f.Output
	return []string{o.Output, o.Duplicates, o.Rejects, o.Flags, o.Stats, o.Sketches, o.Originals, o.Counts,
		f.Report.Report}
}

// WithPaths returns a filter of other inputs.
func (f Filter) WithPaths(paths []string) Filter {
	f.Input.Paths = paths
	return f
}

// WithIndexes returns a filter whose indexes are in other directories.
func (f Filter) WithIndexes(own string, against []string) Filter {
	f.Memory.Index, f.Memory.Against = own, against
	return f
}

// WithDims returns a filter of records whose vectors have that many dimensions.
func (f Filter) WithDims(dims int) Filter {
	f.Rule.Vectors.Dims = dims
	return f
}

// WrittenAs returns a filter that writes records in another format.
func (f Filter) WrittenAs(format string) Filter {
	f.Input.Records.To = format
	return f
}

// Unwritten returns a filter that reads the same and writes nothing.
func (f Filter) Unwritten() Filter {
	f.Output, f.Report = Output{OutputFlags: OutputFlags{Quiet: f.Output.Quiet}}, Report{}
	return f
}

// WithoutProgress returns a filter that tells nothing of its progress.
func (f Filter) WithoutProgress() Filter {
	f.Output.Quiet = true
	return f
}

// OfSketches returns a filter of files of sketches, which have no records to write: flags are
// written to standard output, if they alone are and no file is named for them.
func (f Filter) OfSketches(flagsAlone bool) Filter {
	f.Input.Sketches, f.Output.Output = true, ""
	f.Rule.Verification = spec.Verification{Verify: spec.VerifySignature}
	if flagsAlone && f.Output.Flags == "" {
		f.Output.Flags = "-"
	}
	return f
}

// AsStored returns the filter with the method by which its index was made.
func (f Filter) AsStored(m spec.Method) Filter {
	if f.Method = m; m.Rule.Verify == spec.VerifySignature {
		f.flags.Verify = "" // as in asResumed
	}
	return f
}

// WithFields returns a filter whose texts are in other fields.
func (f Filter) WithFields(fields []string) Filter {
	f.Input.Records.Fields = fields
	return f
}
