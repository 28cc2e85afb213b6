package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// These commands split the filter into three steps: computing band keys, judging them, and writing
// the output. Each resolves to a *Filter that leaves out what the others do.

// SketchFlags are the flags of the command that computes band keys.
type SketchFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"The input: files, - for standard input, directories, quoted patterns. (default: standard input)"`

	FormatFlags  `group:"records"`
	spec.Text    `group:"text"`
	TokenFlags   `group:"text"`
	SimilarFlags `group:"similar"`
	WithinFlags  `group:"similar"`
	Signatures   bool   `group:"similar" help:"@sketch/signatures"`
	Output       string `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Write the sketches to this file. (default: standard output)"`
	Quiet        bool   `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

func (s SketchFlags) resolve(isGiven cmdline.Given) (Command, error) {
	recipe, err := findPreset(s.Preset, s.Threshold)
	if err != nil {
		return nil, err
	}
	c := comparisonOf(&s, isGiven, &s.Field)
	if err := c.resolveTokens(); err != nil {
		return nil, err
	}
	s.Text.Complete(recipe)
	s.ofLines(recipe, s.Inputs)
	if s.Signatures {
		s.ForSignatures(s.Preset, spec.Verification{})
	}
	s.SimilarFlags.complete(recipe)
	filter, err := s.reading(s.Inputs, "", s.Quiet)
	if err != nil {
		return nil, err
	}
	err = firstOf(func() error { return checkInputs(s.Inputs) }, s.FormatFlags.check, s.Tuning.Check)
	filter.Rule, filter.Input.Tokens = c.rule(), s.TokenIDs
	filter.Output.Sketches, filter.Memory.Signatures = s.Output, s.Signatures
	if recipe.Seen != (sketch.Seen{}) {
		filter.Output.SketchesOf = s.Preset
	}
	return &filter, err
}

// DedupFlags are the flags of the command that judges band keys.
type DedupFlags struct {
	Sketches []string `arg:"" optional:"" name:"sketch" sep:"none" needs:"dedup needs SKETCH: name the files of sketches; - is standard input" help:"Sketch files, one after the other as one stream; - is standard input. All must have been made with the same options."`

	ListFlags    `group:"records"`
	MemoryFlags  `group:"index"`
	RepeatFlags  `group:"index"`
	CacheFlags   `group:"index"`
	RemoteFlags  `group:"index"`
	FlagsIn      string `group:"records" placeholder:"FILE" help:"@sketch/flags-in"`
	Votes        int    `range:"[1,)" group:"similar" placeholder:"C" help:"Remove a record if at least this many of its bands were seen before. (default: what the sketches were made for)"`
	DedupRejects `group:"records"`
	Flags        string `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Write a line for each record to this file: 1 kept, 0 removed. (default: standard output)"`
	Stats        string `writes:"flags" group:"output" placeholder:"FILE" help:"Write the counts of the run to this file, as JSON."`
	Quiet        bool   `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

// DedupRejects says what to do with records that have no sketch.
type DedupRejects struct {
	OnError string `enum:"keep,divert,fail" default:"keep" placeholder:"WHAT" help:"@sketch/on-error"`
	Empty   string `enum:"keep,drop,reject" default:"keep" placeholder:"WHAT" help:"@sketch/empty"`
}

func (d DedupFlags) resolve(cmdline.Given) (Command, error) {
	given := d.SeenFlags
	d.SeenFlags.complete(sketch.Recipe{})
	f := &Filter{
		dedup: &given,
		flags: FilterFlags{RecordFlags: RecordFlags{RejectFlags: RejectFlags{
			OnError: d.OnError, EmptyFlags: EmptyFlags{d.Empty}}}},
		Input: Input{
			Paths: d.Sketches, Threads: 1, Sketches: true, FlagsIn: d.FlagsIn, Remote: d.RemoteFlags,
			Unreadable: Unreadable{OnError: d.OnError, Empty: d.Empty},
		},
		Method: spec.Method{
			Rule: spec.Rule{Tuning: spec.Tuning{Votes: d.Votes}}, Memory: comparisonOf(&d, nil, nil).memory(),
		},
		Output: Output{OutputFlags: OutputFlags{Flags: d.Flags, Stats: d.Stats, Quiet: d.Quiet}},
		Runs:   Runs{RepeatFlags: d.RepeatFlags, CacheFlags: d.CacheFlags},
	}
	switch {
	case d.FlagsIn == "-" && (d.FilesFrom == "-" || slices.Contains(d.Sketches, "-")):
		return nil, errors.New("--flags-in - and the sketches, or their names, would both be standard input: " +
			"name the files of one of them")
	case d.FlagsIn == "-" && d.Index != "" && !d.ReadOnly:
		return nil, errors.New("--flags-in - with --index: a repeated run is recognized by its files: name a file")
	}
	return f, firstOf(func() error { return checkInputs(d.Sketches) }, d.MemoryFlags.check)
}

// RememberAs has dedup remember as a preset says, but for what the user has said: the one that the
// sketches were made with. It returns an error if this program does not know the preset.
func (f *Filter) RememberAs(preset string) error {
	recipe, err := sketch.Preset(preset)
	if err != nil || f.dedup == nil {
		return err
	}
	seen := *f.dedup
	seen.complete(recipe)
	m := &f.Method.Memory // whose indexes may be local copies by now
	m.Remember, m.Filters.Kind, m.Filters.FPRate = seen.Remember, seen.Filter, seen.FPRate
	return nil
}

// ApplyFlags are the flags of the command that applies verdicts.
type ApplyFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"@sketch/file"`

	Flags         string `required:"" placeholder:"FILE" help:"The flags: 1 to copy a record or 0 to leave it out, one a line or all on one line. - is standard input."`
	Counts        string `placeholder:"FILE" help:"@resample/counts"`
	ResampleFlags `group:"records"`
	FormatFlags   `group:"records"`
	ID            string             `needs:"--counts FILE: the flags are about records by their order" name:"id" group:"records" placeholder:"FIELD" help:"@sketch/id"`
	To            string             `group:"records" placeholder:"NAME" help:"@sketch/to"`
	Output        string             `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Write the records to this file. (default: standard output)"`
	Compress      values.Compression `group:"output" placeholder:"HOW" help:"Compress the records: gzip or zstd, with a level as in zstd:19. A file whose name ends in .gz or .zst is always compressed."`
	Quiet         bool               `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

func (a ApplyFlags) resolve(cmdline.Given) (Command, error) {
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
	err = firstOf(func() error { return checkInputs(a.Inputs) }, a.FormatFlags.check, a.checkCounts)
	if a.Counts == "" {
		return &f, err
	}
	if f.Input.ID = a.ID; len(f.Input.Paths) == 0 {
		f.Input.Paths = []string{"-"}
	}
	return &Apply{Filter: f, Counts: a.Counts, Resample: a.ResampleFlags}, err
}

// checkCounts rejects a file of counts that no flag uses, and flags that need one if there is none.
func (a ApplyFlags) checkCounts() error {
	switch {
	case a.Counts == "-":
		return errors.New("--counts - is not possible: name a file")
	case a.Counts != "" && a.Counts == a.Flags:
		return fmt.Errorf("--flags and --counts are both %s: the first has 1 or 0 for each record, and the second "+
			"what mithril-stream --counts FILE.jsonl has written", a.Counts)
	case a.Counts != "" && !a.ResampleFlags.IsSet():
		return errors.New("--counts needs --repeat TABLE or --min-sources N, which say what the counts mean")
	case a.Counts == "" && a.ResampleFlags.IsSet():
		return errors.New("--repeat needs --counts FILE: it says how large each group is")
	}
	return nil
}

// Apply asks to copy the records that a file of flags marks as kept, repeating or omitting them
// according to the sizes of their groups.
type Apply struct {
	Filter   Filter
	Counts   string // file with the sizes of groups
	Resample ResampleFlags
}
