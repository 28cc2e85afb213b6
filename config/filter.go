package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Filter is what a run over records is to do. It is complete when it is constructed, and never
// written afterwards: a run of another one is that of a changed copy.
type Filter struct {
	Input Input
	spec.Method
	Output Output
	Report Report
	Runs   Runs

	Contaminate *Contaminate // what is looked for, instead of duplicates; or nil

	flags FilterFlags // of which some identify the run
}

// Input is what is read, and how. A run may be done in three, of which each leaves out what the
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

// Unreadable says what becomes of records that have nothing to compare.
type Unreadable struct {
	OnError       string  // keep, divert or fail
	OnErrorGiven  bool    // the user has named OnError, and not left it at its default
	TakesOnError  bool    // there is a flag for that
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

// Edit is what becomes of the parts of records that were seen.
type Edit struct {
	Action string // one of the actions; empty is ActionDrop
	Mask   string // of ActionMask
}

// IsMeant reports whether records are to be changed, or reported, and not only removed.
func (e Edit) IsMeant() bool { return e.Action != "" && e.Action != ActionDrop }

// Report is the page that shows a run.
type Report struct {
	ReportFlags
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

// Quietly returns a filter that tells nothing of its progress.
func (f Filter) Quietly() Filter {
	f.Output.Quiet = true
	return f
}

// OfSketches returns a filter of files of sketches, which have no records to write: flags are
// written to standard output, if they alone are and no file is named for them.
func (f Filter) OfSketches(flagsAlone bool) Filter {
	f.Input.Sketches, f.Output.Output = true, ""
	if flagsAlone && f.Output.Flags == "" {
		f.Output.Flags = "-"
	}
	return f
}

// WithFields returns a filter whose texts are in other fields.
func (f Filter) WithFields(fields []string) Filter {
	f.Input.Records.Fields = fields
	return f
}

// resolve fills in presets and defaults and checks what spans several flags.
func (f FilterFlags) resolve(isGiven given) (Command, error) {
	f.given = isGiven
	if err := firstOf(f.methodOfPreset, f.resolveTokens); err != nil {
		return nil, err
	}
	fingerprint, err := f.resolveFingerprint()
	if err != nil {
		return nil, err
	}
	contained, err := f.resolveContained()
	if err != nil {
		return nil, err
	}
	refine(contained, f.Verify)
	f.ExactFlags.complete()
	if err := f.resolveMethod(); err != nil {
		return nil, err
	}
	if err := f.resolveEmbedding(); err != nil {
		return nil, err
	}
	if err := f.resolveShards(); err != nil {
		return nil, err
	}
	kinds, err := f.resolveKinds()
	if err != nil {
		return nil, err
	}
	f.SeenFlags.complete()
	f.ForgetFlags.apply(&f.SeenFlags)
	recipe, err := findPreset(f.Preset)
	if err != nil {
		return nil, err
	}
	f.TextFlags.complete(recipe)
	f.ofLines(recipe, f.Inputs)
	given := f.TuneFlags
	if f.IsExact() && fingerprint == nil && contained == nil {
		f.TuneFlags.forMemory(f.Preset, f.ExactFlags)
	}
	f.SimilarFlags.complete(recipe)
	records, err := f.recordFormat(f.To)
	if err == nil {
		records.Schema, err = parseSchema(f.Schema)
	}
	if err != nil {
		return nil, err
	}
	if err := firstOf(f.checkRecords, f.TuneFlags.check, f.checkIndex, f.checkExact, f.checkCounts, f.checkAudit,
		f.ReportFlags.check); err != nil {
		return nil, err
	}
	var afterLimit bloomlsh.Banding
	if f.Memory == spec.MemoryAuto {
		if afterLimit, err = given.afterLimit(f.TuneFlags, recipe); err != nil {
			return nil, err
		}
	}
	rule := ruleOf(f.TextFlags, f.SimilarFlags)
	rule.Verification, rule.Fingerprint, rule.Samples = f.verification(), fingerprint, contained
	rule.Vectors, rule.Parts, rule.Kinds = f.vectors(f.VectorFlags), f.PartFlags.value(), kinds
	memory := f.MemoryFlags.memory(f.ExactFlags)
	memory.Filters.Parts, memory.AfterLimit, memory.Counting = uint64(f.Parts), afterLimit, f.counting()
	return &Filter{
		Input: Input{
			Paths: f.Inputs, Records: records, MaxRecord: int(f.MaxRecord), MaxWindow: int64(f.MaxWindow),
			Remote: f.RemoteFlags, Threads: f.Threads, ID: f.ID, Tokens: f.TokenIDs,
			Unreadable: f.RejectFlags.value(f.MaxUnreadable),
		},
		Method: spec.Method{Rule: rule, Memory: memory},
		Output: Output{
			OutputFlags: f.OutputFlags, Originals: f.Originals, Counts: f.CountFlags.Counts,
			Shards: f.ShardFlags.rule(), Edit: Edit{f.Action, f.Mask},
		},
		Report: Report{f.ReportFlags, f.Audit},
		Runs: Runs{
			Checkpoint: f.Checkpoint, Resume: f.Resume, RepeatFlags: f.RepeatFlags, CacheFlags: f.CacheFlags,
		},
		flags: f.asResumed(),
	}, nil
}

// value is what becomes of records where there is a flag for that.
func (r RejectFlags) value(most float64) Unreadable {
	return Unreadable{
		OnError: onError(r.OnError), OnErrorGiven: r.OnError != "", TakesOnError: true, MaxUnreadable: most,
		Empty: r.Empty,
	}
}

// onError is what becomes of records that cannot be read, if the user has left that alone.
func onError(given string) string {
	fill(&given, "keep")
	return given
}

// firstOf returns the first error.
func firstOf(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (f FilterFlags) checkRecords() error {
	if f.OnError == "divert" && f.Rejects == "" {
		return errors.New("--on-error divert needs --rejects FILE, or the records would be lost")
	}
	return firstOf(func() error { return checkInputs(f.Inputs) }, f.FormatFlags.check)
}

func checkInputs(inputs []string) error {
	standard := slices.Index(inputs, "-")
	if standard >= 0 && slices.Contains(inputs[standard+1:], "-") {
		return errors.New("standard input can be read only once: give - once")
	}
	return nil
}

func (l LimitFlags) check() error {
	if l.Threads < 0 || l.Threads > 1024 {
		return errors.New("--threads must be between 1 and 1024, or 0 for one for each CPU")
	}
	return nil
}

func (f FilterFlags) checkIndex() error {
	if err := f.MemoryFlags.check(); err != nil || !f.ReadOnly {
		return err
	}
	return readOnly.check(f.given, "--read-only")
}

// complete fills what the user left alone.
func (s *SeenFlags) complete() {
	s.Capacity, s.FPRate = spec.DefaultCapacity, spec.DefaultFPRate
	if s.GivenCapacity != nil {
		s.Capacity = *s.GivenCapacity
	}
	if s.GivenFPRate != nil {
		s.FPRate = *s.GivenFPRate
	}
}

func (f MemoryFlags) check() error {
	if f.Index != "" && slices.Contains(f.Against, f.Index) {
		return fmt.Errorf("--against %s is the same directory as --index", f.Index)
	}
	return nil
}
