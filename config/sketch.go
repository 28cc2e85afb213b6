package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// The filter in three commands: band keys, verdicts, output. Each resolves to a *Filter that leaves
// out what the others do.

// SketchFlags are the flags of the command that writes band keys.
type SketchFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"What is read: files, - for standard input, directories, quoted patterns. (default: standard input)"`

	FormatFlags  `group:"records"`
	TextFlags    `group:"text"`
	TokenFlags   `group:"text"`
	SimilarFlags `group:"similar"`
	WithinFlags  `group:"similar"`
	Signatures   bool   `group:"similar" help:"Keep what groups needs to verify and join records: their signatures, of 64 bytes, and the lengths of their texts. The bands are then those that find candidates, so that dedup does not take such files."`
	Output       string `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Where the sketches go. (default: standard output)"`
	Quiet        bool   `short:"q" group:"output" help:"No progress and no summary on standard error."`
}

func (s SketchFlags) resolve(isGiven given) (Command, error) {
	recipe, err := findPreset(s.Preset)
	if err != nil {
		return nil, err
	}
	if err := s.TokenFlags.apply(isGiven, &s.Field, &s.TextFlags, s.SimilarFlags); err != nil {
		return nil, err
	}
	s.TextFlags.complete(recipe)
	s.ofLines(recipe, s.Inputs)
	if s.Signatures {
		s.TuneFlags.forSignatures(s.Preset)
	}
	s.SimilarFlags.complete(recipe)
	filter, err := s.reading(s.Inputs, "", s.Quiet)
	if err != nil {
		return nil, err
	}
	err = firstOf(func() error { return checkInputs(s.Inputs) }, s.FormatFlags.check, s.TuneFlags.check)
	filter.Rule, filter.Input.Tokens = ruleOf(s.TextFlags, s.SimilarFlags), s.TokenIDs
	filter.Rule.Within = s.Within
	filter.Output.Sketches, filter.Memory.Signatures = s.Output, s.Signatures
	return &filter, err
}

// DedupFlags are the flags of the command that judges band keys.
type DedupFlags struct {
	Sketches []string `arg:"" optional:"" name:"sketch" sep:"none" needs:"dedup needs SKETCH: name the files of sketches; - is standard input" help:"Sketch files, one after the other as one stream; - is standard input. All must have been made with the same options."`

	ListFlags   `group:"records"`
	MemoryFlags `group:"index"`
	RepeatFlags `group:"index"`
	CacheFlags  `group:"index"`
	RemoteFlags `group:"index"`
	FlagsIn     string `group:"records" placeholder:"FILE" help:"What an earlier step has said of the same sketches, for each record 1 or 0, a line for each or all on one. What is 0 is skipped: it is 0 again, and neither compared nor remembered. - is standard input."`
	Votes       int    `range:"[1,)" group:"similar" placeholder:"C" help:"A record is a duplicate if at least this many of its bands were seen before. (default: what the sketches were made for)"`
	OnError     string `group:"records" enum:"keep,divert,fail" default:"keep" placeholder:"WHAT" help:"What becomes of records that could not be read when they were sketched: keep; divert leaves them out; fail keeps them and exits with 3 in the end. (default: ${default})"`
	Empty       string `group:"records" enum:"keep,drop,reject" default:"keep" placeholder:"WHAT" help:"What becomes of records whose text is empty, or white space: keep, drop, or reject as one that could not be read. (default: ${default})"`
	Flags       string `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Where the line for each record goes: 1 kept, 0 removed. (default: standard output)"`
	Stats       string `writes:"flags" group:"output" placeholder:"FILE" help:"Write the counts of the run here, as JSON."`
	Quiet       bool   `short:"q" group:"output" help:"No progress and no summary on standard error."`
}

func (d DedupFlags) resolve(given) (Command, error) {
	d.SeenFlags.complete()
	f := &Filter{
		flags: FilterFlags{RecordFlags: RecordFlags{RejectFlags: RejectFlags{
			OnError: d.OnError, EmptyFlags: EmptyFlags{d.Empty}}}},
		Input: Input{
			Paths: d.Sketches, Threads: 1, Sketches: true, FlagsIn: d.FlagsIn, Remote: d.RemoteFlags,
			Unreadable: Unreadable{OnError: d.OnError, Empty: d.Empty},
		},
		Method: spec.Method{
			Rule: spec.Rule{Tuning: spec.Tuning{Votes: d.Votes}}, Memory: d.MemoryFlags.memory(ExactFlags{}),
		},
		Output: Output{OutputFlags: OutputFlags{Flags: d.Flags, Stats: d.Stats, Quiet: d.Quiet}},
		Runs:   Runs{RepeatFlags: d.RepeatFlags, CacheFlags: d.CacheFlags},
	}
	switch {
	case d.FlagsIn == "-" && (d.FilesFrom == "-" || slices.Contains(d.Sketches, "-")):
		return nil, errors.New("--flags-in - and the sketches, or their names, would both be standard input: " +
			"name the files of one of them")
	case d.FlagsIn == "-" && d.Index != "" && !d.ReadOnly:
		return nil, errors.New("--flags-in - with --index: a run that is given again is known by its files: " +
			"name a file")
	}
	return f, firstOf(func() error { return checkInputs(d.Sketches) }, d.MemoryFlags.check)
}

// ApplyFlags are the flags of the command that follows verdicts.
type ApplyFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"The records that the flags are about: files, - for standard input, directories, quoted patterns. (default: standard input)"`

	Flags       string `required:"" placeholder:"FILE" help:"For each record 1 to copy it or 0 to leave it out, a line for each or all on one. - is standard input."`
	Swaps       string `placeholder:"FILE" help:"Put better records in the places of those that are copied, as the lines say that --counts FILE.jsonl --prefer WHICH has written, the last one about a record. The records are read twice; standard input is kept in a file in TMPDIR meanwhile."`
	FormatFlags `group:"records"`
	ID          string      `needs:"--swaps FILE: the flags are about records by their order" name:"id" group:"records" placeholder:"FIELD" help:"The field, or column, that names a record in the file of --swaps, as in the run that wrote it. (default: the name of the input and the number of the record, as in crawl.jsonl:12)"`
	To          string      `group:"records" placeholder:"NAME" help:"Write the records in another format, whatever they were. jsonl: JSON objects, one a line. json: the same as one array. csv, parquet, arrow: rows, whose columns are the members of all of them; they are written in the end. (default: what the name of --output says, or as they came)"`
	Output      string      `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Where the records go. (default: standard output)"`
	Compress    Compression `group:"output" placeholder:"HOW" help:"Compress them: gzip or zstd, with a level as in zstd:19. A file whose name ends in .gz or .zst is compressed anyway."`
	Quiet       bool        `short:"q" group:"output" help:"No progress and no summary on standard error."`
}

func (a ApplyFlags) resolve(given) (Command, error) {
	f, err := a.reading(a.Inputs, a.To, a.Quiet)
	if err != nil {
		return nil, err
	}
	all := append([]string{a.Flags}, a.Inputs...)
	if len(a.Inputs) == 0 {
		all = append(all, "-")
	}
	if a.Flags == "-" && (a.FilesFrom == "-" || checkInputs(all) != nil) {
		return nil, errors.New("--flags - and the records, or their names, would both be standard input: " +
			"name the files of one of them")
	}
	f.Input.OnError, f.Input.Verdicts = "divert", a.Flags
	f.Output.Output, f.Output.Compress = a.Output, a.Compress
	err = firstOf(func() error { return checkInputs(a.Inputs) }, a.FormatFlags.check, a.checkSwaps)
	if a.Swaps == "" {
		return &f, err
	}
	if len(f.Input.Paths) == 0 {
		f.Input.Paths = []string{"-"}
	}
	f.Input.ID = a.ID
	return &Swap{Filter: f, Swaps: a.Swaps}, err
}

// checkSwaps refuses what does not go with --swaps.
func (a ApplyFlags) checkSwaps() error {
	switch {
	case a.Swaps == "-":
		return errors.New("--swaps - is not possible: name a file")
	case a.Swaps != "" && a.Swaps == a.Flags:
		return fmt.Errorf("--flags and --swaps are both %s: the first has 1 or 0 for each record, and the second what "+
			"mithril-stream --counts FILE.jsonl --prefer WHICH has written", a.Swaps)
	}
	return nil
}

// Swap asks to copy the records that a file of flags says are kept, and to put better ones in the
// places of some.
type Swap struct {
	Filter Filter
	Swaps  string // the file that names them
}
