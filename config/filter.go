package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
)

// Filter is what a run over records is to do. Every value is set but Bands and Rows, which are zero
// where they are to be tuned. A run may also be done in three, of which each leaves out what the
// others do: then one of the last three fields is set.
type Filter struct {
	Inputs    []string
	Records   formats.Settings
	MaxRecord int
	MaxWindow int64 // of compressed inputs; 0 for the default
	Remote    RemoteFlags
	OnError   string
	// OnErrorGiven says that the user has named OnError, and not left it at its default.
	OnErrorGiven bool
	// TakesOnError says that there is a flag for that.
	TakesOnError bool
	// MaxUnreadable is the share of records above which, if they cannot be read, the run fails.
	MaxUnreadable float64
	Empty         string
	Threads       int // 0: one for each CPU

	Text    TextFlags
	Similar SimilarFlags
	Index   IndexFlags
	Output  OutputFlags
	Report  ReportFlags
	Audit   int // records removed, and kept, that are compared exactly for the page; 0 for none
	ExactFlags
	Counts   string       // where the sizes of groups go; may be empty
	Counting *counts.What // what is counted for that; nil if nothing is
	EmbeddingFlags
	VectorFlags
	TokenFlags
	Dims         int              // of the vectors that records have; 0 until the first one is known
	SeveralTexts bool             // texts are of several fields or values, once the inputs have said which these are
	AfterLimit   bloomlsh.Banding // the rule of --memory auto from its limit on
	MethodFlags

	Fingerprint *Fingerprint // what is compared, instead of sets of shingles; or nil
	Contained   *Contained   // how much of texts is asked to be in others, instead; or nil
	Shards      shards.Rule  // of the kept records, if they are divided
	Kinds       *Kinds       // how records are counted and limited by kinds; or nil
	Contaminate *Contaminate // what is looked for, instead of duplicates; or nil

	Sketch       string // where band keys go, instead of being judged
	Signatures   bool   // and with them what groups needs of records
	FromSketches bool   // Inputs are files of band keys
	FlagsIn      string // the file of flags that says which of them an earlier step has kept; may be empty
	Verdicts     string // the file of flags that says which records are kept

	flags FilterFlags // of which some identify the run
}

// Written are the files that the run writes; empty ones are not asked for.
func (f *Filter) Written() []string {
	o := f.Output
	return []string{o.Output, o.Duplicates, o.Rejects, o.Flags, o.Stats, f.Sketch, f.Originals, f.Counts,
		f.Report.Report}
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
	contained.refine(f.Verify)
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
	if f.Memory == memoryBloom {
		f.SeenFlags.MemoryLimit = f.ExactFlags.MemoryLimit
	}
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
	if f.Memory == MemoryAuto {
		if afterLimit, err = given.afterLimit(f.TuneFlags, recipe); err != nil {
			return nil, err
		}
	}
	return &Filter{
		Inputs: f.Inputs, Records: records, MaxRecord: int(f.MaxRecord), MaxWindow: int64(f.MaxWindow),
		Remote:       f.RemoteFlags,
		OnError:      onError(f.OnError),
		OnErrorGiven: f.OnError != "", TakesOnError: true, MaxUnreadable: f.MaxUnreadable,
		Empty: f.Empty, Threads: f.Threads,
		Text: f.TextFlags, Similar: f.SimilarFlags, Index: f.IndexFlags, Output: f.OutputFlags,
		Report: f.ReportFlags, Audit: f.Audit,
		ExactFlags: f.ExactFlags, AfterLimit: afterLimit, MethodFlags: f.MethodFlags,
		Counts: f.CountFlags.Counts, Counting: f.counting(),
		Fingerprint:    fingerprint,
		Contained:      contained,
		Kinds:          kinds,
		EmbeddingFlags: f.EmbeddingFlags, VectorFlags: f.VectorFlags, TokenFlags: f.TokenFlags,
		Shards: f.ShardFlags.rule(),
		flags:  f.asResumed(),
	}, nil
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
	s.Capacity, s.FPRate = 1_000_000, 1e-8
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
