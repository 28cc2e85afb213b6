package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Audit asks how accurate a filter's verdicts are.
type Audit struct {
	Filter Filter // the filter whose verdicts are checked
	Sample int    // how many removed and how many kept records are compared with all earlier ones
	Seed   uint64 // seed for drawing the sample
	JSON   string // file to which the result is also written, as JSON; may be empty
	Report string // file for a page that shows the result; may be empty

	// Thresholds are further thresholds to try. For each, the audit counts how many records would
	// be removed; Dry is the filter that counts them.
	Thresholds []float64
	Dry        Filter
}

// AuditFlags are the flags of the audit command.
type AuditFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" needs:"audit needs FILE: it reads its input several times, which standard input cannot be" help:"The input, read several times: files, directories, quoted patterns."`

	FormatFlags    `group:"records"`
	spec.Text      `group:"text"`
	SimilarFlags   `group:"similar"`
	ContainedFlags `group:"similar"`
	AuditMemory    `group:"index"`
	Sample         int       `range:"[1,1000000]" group:"output" default:"2000" placeholder:"N" help:"@audit/sample"`
	SampleSeed     uint64    `group:"output" default:"1" placeholder:"N" help:"Seed for drawing the sample. (default: ${default})"`
	Thresholds     []float64 `group:"output" placeholder:"J,…" help:"@audit/thresholds"`
	JSON           string    `writes:"table" name:"json" group:"output" placeholder:"FILE" help:"Also write the result to this file, as JSON."`
	Report         string    `writes:"table" group:"output" placeholder:"FILE" help:"Also write the result to this file, as a page of HTML that needs no network."`
	Quiet          bool      `short:"q" group:"output" help:"Print no progress to standard error."`
}

// AuditMemory says which memory is audited.
type AuditMemory struct {
	Memory        string        `enum:",bloom,exact" default:"" placeholder:"WHICH" help:"The memory to audit, as in the filter: bloom or exact. (default: that of the filter)"`
	GivenCapacity *values.Count `range:"[1,)" name:"capacity" placeholder:"N" help:"How many records to plan for. (default: 1M)"`
	GivenFPRate   *float64      `range:"(0,1)" name:"fp-rate" placeholder:"P" help:"Probability that a full index takes an unseen record for a duplicate. (default: 1e-8)"`
}

func (a AuditFlags) resolve(isGiven cmdline.Given) (Command, error) {
	recipe, err := findPreset(a.Preset, a.Threshold)
	if err != nil {
		return nil, err
	}
	a.Text.Complete(recipe)
	a.ofLines(recipe, a.Inputs)
	if recipe.Exact && isGiven.First(ofFilters...) == "" {
		fill(&a.Memory, spec.MemoryExact)
	}
	fill(&a.Memory, spec.MemoryBloom)
	c := comparisonOf(&a, isGiven, &a.Field)
	c.ExactFlags.Memory = a.Memory
	if err := c.resolveSamples(); err != nil {
		return nil, err
	}
	dry := a.SimilarFlags
	if c.samples == nil {
		c.ExactFlags.complete(c.ByMinHash())
	}
	c.completeTuning(recipe)
	filter, err := a.reading(a.Inputs, "", a.Quiet)
	if err != nil {
		return nil, err
	}
	c.GivenCapacity, c.GivenFPRate, c.OnFull = a.GivenCapacity, a.GivenFPRate, bloomlsh.OnFullGrow
	c.SeenFlags.complete(recipe)
	if err := firstOf(a.check, a.FormatFlags.check, a.Tuning.Check); err != nil {
		return nil, err
	}
	filter.Rule, filter.Memory = c.rule(), c.memory()
	audit := &Audit{
		Filter: filter, Sample: a.Sample, Seed: a.SampleSeed, JSON: a.JSON, Report: a.Report, Thresholds: a.Thresholds,
	}
	if len(a.Thresholds) > 0 {
		dry.Threshold = slices.Min(a.Thresholds)
		if c.samples == nil {
			dry.ForCandidates(a.Preset)
		}
		dry.complete(recipe)
		audit.Dry = audit.Filter
		audit.Dry.Memory.Kind = spec.MemoryExact
		audit.Dry.Rule.Sketch, audit.Dry.Rule.Seed, audit.Dry.Rule.Tuning = dry.Sketch, dry.Seed, dry.Tuning
		if err := dry.Tuning.Check(); err != nil {
			return nil, err
		}
	}
	return audit, nil
}

func (a AuditFlags) check() error {
	switch {
	case slices.Contains(a.Inputs, "-"):
		return errors.New("audit reads its input several times, which standard input cannot be: name files")
	case slices.ContainsFunc(a.Thresholds, func(j float64) bool { return !(j > 0 && j <= 1) }):
		return fmt.Errorf("--thresholds %v must be above 0 and at most 1", a.Thresholds)
	case len(a.Thresholds) > 0 && a.Contained == Either:
		return errors.New("--thresholds counts by how much of records is in earlier ones, and --contained either " +
			"the other way, too: leave one of them out")
	}
	return nil
}
