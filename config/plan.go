package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Plan asks what an index would cost, and how often it would err.
type Plan struct {
	Documents values.Count `range:"[1,)" default:"1e6" placeholder:"N" help:"How many records to plan for, as in 1e9 or 500M. (default: a million)"`
	Preset    string       `placeholder:"NAME" help:"Take bands and rows from a published recipe."`
	spec.Tuning
	PlanPartFlags
	PlanIndexFlags
	PlanSampleFlags
	MachineFlags
	Explain bool   `help:"Add the rule, what other memories take, the error model and the S-curve."`
	SVG     string `name:"svg" writes:"plan" placeholder:"FILE" help:"Draw the S-curve to this file."`
	JSON    bool   `name:"json" help:"Write JSON."`

	planned `kong:"-"`
}

// PlanPartFlags are for planning an index of parts of records.
type PlanPartFlags struct {
	Method string       `placeholder:"NAME" help:"Plan for the parts of records that a method remembers: exact, ccnet, dolma, dolma-ngram, dclm, bloom-ngrams."`
	NGram  int          `needs:"--method NAME: it is about parts of records" range:"[1,1000]" name:"ngram" placeholder:"N" help:"With --method: how many tokens an n-gram has. (default: what the method has)"`
	Scale  int          `needs:"--method NAME: it is about parts of records" range:"[1,1024]" placeholder:"N" help:"With --method dclm or dolma-ngram: keep one in N of the n-grams of a long record, as in the filter. (default: 1)"`
	Parts  values.Count `needs:"--method NAME: it is about parts of records" range:"[1,)" placeholder:"N" help:"With --method: how many parts all records have together. (default: what is usual for texts of 2 KB)"`
}

// PlanIndexFlags describe the planned index.
type PlanIndexFlags struct {
	BandKey         string      `expert:"" default:"" enum:",xxh3,sum" values:"xxh3,sum" placeholder:"HOW" help:"The kind of band key: xxh3 or sum, of 128 or 61 bits. (default: xxh3)"`
	GivenFPRate     *float64    `range:"(0,1)" name:"fp-rate" placeholder:"P" help:"@plan/fp-rate"`
	Filter          string      `default:"" enum:",tagged,paged,classic" values:"tagged,paged,classic" placeholder:"KIND" help:"How to remember band keys: tagged or paged. (default: tagged, or paged where one vote makes a duplicate)"`
	OnFull          string      `default:"grow" enum:"grow,refuse" placeholder:"WHAT" help:"What to do beyond the capacity: grow keeps a share of --fp-rate for later generations; refuse does not. (default: ${default})"`
	KeepGenerations int         `range:"[1,)" outside:"--keep-generations must be between 2 and 64" placeholder:"N" help:"Plan for an index that keeps N generations and remembers the last --documents records."`
	ForgetAfter     values.Age  `placeholder:"AGE" help:"Plan for an index that forgets records older than this, as in 30d. --documents is how many records come in that time."`
	MemoryLimit     values.Size `name:"max-memory" aliases:"memory-limit" range:"[1,)" placeholder:"SIZE" help:"Also show how an index would be divided under this limit, and when --memory auto would stop being exact."`
}

// planned holds what is derived from the flags of a Plan.
type planned struct {
	given      spec.Tuning
	Candidates spec.Tuning `kong:"-"` // how an exact memory comparing texts would find pairs
	Signatures spec.Tuning `kong:"-"` // the same for one that compares signatures
	OfExact    bool        `kong:"-"` // a run with the preset uses the exact memory
	AfterLimit lsh.Banding `kong:"-"` // the rule that --memory auto uses once it reaches its limit
	FPRate     float64     `kong:"-"` // GivenFPRate, or the default
	Filtering  Filter      `kong:"-"` // how the sample is read and compared
	Timed      []Filter    `kong:"-"` // runs over it to measure; none if it can be read only once
}

// MachineFlags describe the machine that a run would use.
type MachineFlags struct {
	Cores  int         `needs:"--sample FILE: its records are measured" range:"[1,4096]" group:"sample" placeholder:"N" help:"@plan/cores"`
	Memory values.Size `needs:"--cores N: it is about that machine" range:"[1,)" group:"sample" placeholder:"SIZE" help:"The memory of the machine of --cores, as in 128GiB."`
}

// PlanSampleFlags name a sample of the corpus, and say how its records are read and compared.
type PlanSampleFlags struct {
	Sample      []string `listed:"" group:"sample" placeholder:"FILE" sep:"none" help:"@plan/sample"`
	FormatFlags `group:"sample"`
	Markup      string `needs:"--sample FILE: it is about texts" group:"sample" default:"none" placeholder:"WHAT" help:"Extract the text from markup first, as in the filter, for --sample. (default: ${default})"`
	Normalize   string `needs:"--sample FILE: it is about texts" group:"sample" placeholder:"HOW" help:"How to normalize texts, as in the filter, for --sample. (default: nfkc-fold)"`
	Tokenize    string `needs:"--sample FILE: it is about texts" group:"sample" placeholder:"HOW" help:"How to split texts into tokens, as in the filter, for --sample. (default: word)"`
	ShingleSize int    `needs:"--sample FILE: it is about texts" range:"[1,)" group:"sample" placeholder:"N" help:"How many consecutive tokens form a shingle, for --sample. (default: 5)"`
}

// resolveSample completes the settings for reading and comparing the sample.
func (p *Plan) resolveSample(recipe sketch.Recipe) error {
	if p.Cores > 0 && slices.Contains(p.Sample, "-") {
		return errors.New("--sample -: for --cores it is read several times: name a file")
	}
	if p.Method != "" {
		return errors.New("--sample is about texts that are similar: leave --method out")
	}
	text := spec.Text{
		Preset: p.Preset, Markup: p.Markup, Normalize: p.Normalize, Tokenize: p.Tokenize, ShingleSize: p.ShingleSize,
	}
	text.Complete(recipe)
	similar := SimilarFlags{Tuning: p.Tuning, BandKey: p.BandKey}
	similar.complete(recipe)
	filter, err := p.reading(p.Sample, "", true)
	if err != nil {
		return err
	}
	filter.Rule, filter.Memory.Kind = ruleOf(text, similar), spec.MemoryBloom
	p.Filtering = filter
	if !slices.Contains(p.Sample, "-") {
		p.Timed = []Filter{p.timed(text, recipe, spec.MemoryBloom), p.timed(text, recipe, spec.MemoryExact)}
	}
	return p.FormatFlags.check()
}

// timed returns a run over the sample that uses the given memory.
func (p *Plan) timed(text spec.Text, recipe sketch.Recipe, memory string) Filter {
	c := comparisonOf(p, nil, &p.Field)
	*c.Text, *c.SimilarFlags = text, SimilarFlags{Tuning: p.given, BandKey: p.BandKey}
	c.Memory, c.OnFull = memory, bloomlsh.OnFullGrow
	c.ExactFlags.complete(true)
	c.SeenFlags.complete(recipe)
	c.completeTuning(recipe)
	filter := p.Filtering
	filter.Rule, filter.Memory = c.rule(), c.memory()
	return filter
}

// PartParams returns the parameters of a method that judges parts of records.
func (p Plan) PartParams() (overlap.Params, error) {
	return overlap.Params{Method: p.Method, NGram: p.NGram, Scale: p.Scale}.Complete()
}

// CheckLimit returns an error if a run would reject the memory limit for an index of Bloom filters.
// With --memory auto, a run may still accept it.
func (p Plan) CheckLimit() error {
	switch {
	case p.MemoryLimit < leastLimit:
		return errLeastLimit
	case p.Filter == bloomlsh.FilterClassic:
		return errNoPages
	}
	return nil
}

// resolveMethod checks the flags given with a method, and fills in the parameters to plan for.
func (p *Plan) resolveMethod() error {
	t := p.Tuning
	perRecord := 1
	switch {
	case p.Preset != "" || t != (spec.Tuning{}) || p.SVG != "" || p.MemoryLimit != 0 || p.BandKey != "":
		return errors.New("--method is about parts that are equal: leave out what says which texts are similar")
	case p.Explain:
		return errors.New("--explain is about texts that are similar: leave it out with --method")
	case p.Method == spec.MethodExact && (p.NGram != 0 || p.Parts != 0 || p.Scale != 0):
		return errors.New("--method exact has one part a record: leave --ngram, --scale and --parts out")
	case p.Method != spec.MethodExact:
		params, err := p.PartParams()
		if err != nil {
			return fmt.Errorf("--method: %w", err)
		}
		perRecord = params.PartsPerRecord()
		if p.GivenFPRate == nil && params.HasNGrams() {
			p.FPRate = nGramRate
		}
	}
	p.Parts = cmp.Or(p.Parts, p.Documents*values.Count(perRecord))
	return nil
}

// completeIndex fills in how keys are remembered.
func (p *Plan) completeIndex(recipe sketch.Recipe) {
	seen := SeenFlags{GivenFPRate: p.GivenFPRate, Filter: p.Filter}
	seen.complete(recipe)
	p.Filter = seen.Filter
	fill(&p.BandKey, recipe.Params.BandKey)
	fill(&p.FPRate, seen.FPRate)
}

func (p Plan) resolve(cmdline.Given) (Command, error) {
	if p.ForgetAfter > 0 {
		fill(&p.KeepGenerations, windowsKept)
	}
	if p.Method != "" {
		if err := p.resolveMethod(); err != nil {
			return nil, err
		}
	}
	recipe, err := findPreset(p.Preset, p.Threshold)
	if err != nil {
		return nil, err
	}
	p.completeIndex(recipe)
	p.given = p.Tuning
	p.Candidates, p.Signatures = p.Tuning, p.Tuning
	p.Candidates.ForSignatures(p.Preset, spec.Verification{Verify: spec.VerifyText})
	p.Candidates.Complete(recipe)
	p.Signatures.ForSignatures(p.Preset, spec.Verification{Verify: spec.VerifySignature})
	p.Signatures.Complete(recipe)
	p.Tuning.Complete(recipe)
	if err := p.Tuning.Check(); err != nil {
		return nil, err
	}
	p.OfExact = recipe.Exact && p.Threshold >= spec.RarestFrom
	if len(p.Sample) > 0 {
		if err := p.resolveSample(recipe); err != nil {
			return nil, err
		}
	}
	if p.MemoryLimit > 0 {
		candidates := p.given
		candidates.ForCandidates(p.Preset)
		candidates.Complete(recipe)
		p.AfterLimit, err = p.given.BandingAfter(candidates, recipe)
	}
	return &p, err
}
