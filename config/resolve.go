package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// resolve fills in presets and defaults, and makes the checks that involve several flags.
func (f FilterFlags) resolve(isGiven cmdline.Given) (Command, error) {
	if recipe, err := findPreset(f.Preset, f.Threshold); err == nil && recipe.Exact && f.Memory == "" &&
		isGiven.First(ofFilters...) == "" {
		exact := f
		exact.Memory = spec.MemoryExact
		found, err := exact.resolveAll(isGiven.With("--memory"))
		if err == nil && found.Method.FindsByRarest() {
			return found, nil
		}
	}
	found, err := f.resolveAll(isGiven)
	if err != nil {
		return nil, err
	}
	return found, nil
}

// ofFilters lists the flags that make a run use Bloom filters even if its preset is for the exact
// memory.
var ofFilters = []string{
	"--capacity", "--fp-rate", "--filter", "--on-full", "--keep-generations", "--max-memory",
}

// resolveAll does the work of resolve once the memory is chosen. If none is, it uses Bloom filters.
func (f FilterFlags) resolveAll(isGiven cmdline.Given) (*Filter, error) {
	f.given = isGiven
	madeBy := ruleArguments(f, isGiven)
	c := comparisonOf(&f, isGiven, &f.Field)
	c.format = f.Format
	kinds, err := f.resolveComparison(c)
	if err != nil {
		return nil, err
	}
	f.given = c.given
	records, err := f.recordFormat(f.To)
	if err == nil {
		records.Schema, err = parseSchema(f.Schema)
	}
	if err != nil {
		return nil, err
	}
	if err := firstOf(f.checkRecords, f.Tuning.Check, f.checkIndex, c.checkExact, f.checkCounts, f.checkAudit,
		f.checkGate, f.ReportFlags.check); err != nil {
		return nil, err
	}
	method, err := c.method()
	if err != nil {
		return nil, err
	}
	method.Rule.Kinds, method.Memory.Counting = kinds, f.counting()
	method.Memory.MadeBy = madeByAll(madeBy, method.Memory)
	return &Filter{
		Input: Input{
			Paths: f.Inputs, Records: records, MaxRecord: int(f.MaxRecord), MaxWindow: int64(f.MaxWindow),
			Remote: f.RemoteFlags, Threads: f.Threads, ID: f.ID, Tokens: f.TokenIDs,
			Unreadable: f.RejectFlags.value(f.MaxUnreadable),
		},
		Method: method,
		Output: Output{
			OutputFlags: f.OutputFlags, Originals: f.Originals, Counts: f.CountFlags.Counts,
			Shards: f.ShardFlags.rule(), Edit: Edit{f.Action, f.Mask},
		},
		Report: Report{f.ReportFlags, f.GateFlags, f.Audit},
		Runs: Runs{
			Checkpoint: f.Checkpoint, Resume: f.Resume, RepeatFlags: f.RepeatFlags, CacheFlags: f.CacheFlags,
		},
		flags: f.asResumed(),
	}, nil
}

// resolveComparison completes all flags that decide which records are duplicates, and returns the
// settings for kinds.
func (f *FilterFlags) resolveComparison(c *comparison) (kinds *spec.Kinds, err error) {
	if err := firstOf(c.methodOfPreset, c.resolveTokens, c.resolveFingerprint, c.resolveSamples); err != nil {
		return nil, err
	}
	fill(&c.Memory, spec.MemoryBloom)
	if err := firstOf(c.resolveMethod, c.resolveEmbedding, f.resolveShards); err != nil {
		return nil, err
	}
	if kinds, err = f.resolveKinds(c); err != nil {
		return nil, err
	}
	c.ExactFlags.complete(c.isOfShingles() && kinds == nil)
	recipe, err := findPreset(f.Preset, f.Threshold)
	if err != nil {
		return nil, err
	}
	c.SeenFlags.complete(recipe)
	c.completeForget()
	c.Text.Complete(recipe)
	f.ofLines(recipe, f.Inputs)
	c.completeTuning(recipe)
	return kinds, nil
}

// value returns what to do with unreadable records, for a command that has the flags.
func (r RejectFlags) value(most float64) Unreadable {
	return Unreadable{
		OnError: onError(r.OnError), OnErrorGiven: r.OnError != "", HasOnError: true, MaxUnreadable: most,
		Empty: r.Empty,
	}
}

// onError returns given or, if it is empty, the default.
func onError(given string) string {
	fill(&given, "keep")
	return given
}

// firstOf runs the checks in order and returns the first error.
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

// complete fills in what the user did not set.
func (s *SeenFlags) complete(r sketch.Recipe) {
	s.Capacity, s.FPRate = spec.DefaultCapacity, cmp.Or(r.Seen.FPRate, spec.DefaultFPRate)
	fill(&s.Filter, r.Seen.Filter)
	fill(&s.Remember, cmp.Or(r.Seen.Remember, "all"))
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
