package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Values of Pairs.Candidates.
const (
	CandidatesPrefix = "prefix"
	CandidatesLSH    = "lsh"
)

// Pairs asks for all pairs of similar records.
type Pairs struct {
	Filter     Filter      // how records are read and split into shingles
	Against    []string    // inputs whose records those of Filter are compared with; may be empty
	Candidates string      // which pairs are compared
	Unverified bool        // write candidate pairs without comparing them
	MaxMemory  values.Size // 0 means what the machine has
	Output     string      // file, or - for standard output
	Format     string      // one of layout.ResultFormats
}

// PairsFlags are the flags of the command that finds pairs.
type PairsFlags struct {
	Inputs  []string `arg:"" optional:"" name:"file" sep:"none" help:"The input: files, - for standard input, directories, quoted patterns. (default: standard input)"`
	Against []string `placeholder:"FILE" sep:"none" help:"Compare the records with those of this file, directory or pattern, not with each other. Repeat it for several."`

	FormatFlags    `group:"records"`
	ID             string `name:"id" group:"records" placeholder:"FIELD" help:"@pairs/id"`
	spec.Text      `group:"text"`
	SimilarFlags   `group:"similar"`
	WithinFlags    `group:"similar"`
	CandidateFlags `group:"similar"`
	MaxMemory      values.Size `range:"[1,)" group:"similar" placeholder:"SIZE" help:"@pairs/max-memory"`
	Output         string      `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Write the pairs to this file, in the format of its name: .tsv, .jsonl, .csv, .parquet or .arrow. (default: standard output)"`
	To             string      `group:"output" placeholder:"NAME" values:"tsv,jsonl,csv,parquet,arrow" help:"Write the pairs in this format. (default: what the name of --output says, or tsv)"`
	Quiet          bool        `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

// CandidateFlags say which pairs are compared, or written without being compared.
type CandidateFlags struct {
	Candidates string `enum:"prefix,lsh" default:"prefix" placeholder:"WHICH" help:"@pairs/candidates"`
	Unverified bool   `needs:"--candidates lsh: give both, or neither" help:"With --candidates lsh: write the candidates with the number of their common bands, without comparing them."`
}

func (p PairsFlags) resolve(isGiven cmdline.Given) (Command, error) {
	recipe, err := findPreset(p.Preset, p.Threshold)
	if err != nil {
		return nil, err
	}
	if err := firstOf(func() error { return p.checkBands(isGiven) }, p.checkFiles); err != nil {
		return nil, err
	}
	p.Text.Complete(recipe)
	p.ofLines(recipe, p.Inputs)
	p.ForCandidates(p.Preset)
	p.SimilarFlags.complete(recipe)
	filter, err := p.reading(p.Inputs, "", p.Quiet)
	if err != nil {
		return nil, err
	}
	format, err := layout.ResultFormat(p.Output, p.To, "tsv")
	if err != nil {
		return nil, err
	}
	if err := firstOf(p.FormatFlags.check, p.Tuning.Check); err != nil {
		return nil, err
	}
	filter.Rule, filter.Input.ID = ruleOf(p.Text, p.SimilarFlags), p.ID
	filter.Rule.Within = spec.ParseWithin(p.Within)
	return &Pairs{
		Filter:  filter,
		Against: p.Against, Candidates: p.Candidates, Unverified: p.Unverified, MaxMemory: p.MaxMemory,
		Output: p.Output, Format: format,
	}, nil
}

// checkBands rejects flags about signature bands if these are not used.
func (p PairsFlags) checkBands(isGiven cmdline.Given) error {
	const lsh = "--candidates " + CandidatesLSH
	if !p.ByMinHash() {
		return fmt.Errorf("--sketch %s has no sets of shingles, which pairs compares: leave it out", p.Sketch)
	}
	if p.Candidates == CandidatesLSH {
		return nil
	}
	if flag := isGiven.First(refusals()[byPrefix]...); flag != "" {
		return fmt.Errorf("%s is about bands, which find candidates with %s: leave it out, or give that", flag, lsh)
	}
	return nil
}

func (p PairsFlags) checkFiles() error {
	inputs := p.Inputs
	if len(inputs) == 0 {
		inputs = []string{"-"}
	}
	if len(p.Against) > 0 && slices.Contains(inputs, "-") && slices.Contains(p.Against, "-") {
		return errors.New("the records and --against would both be standard input: name the files of one of them")
	}
	return firstOf(func() error { return checkInputs(p.Inputs) }, func() error { return checkInputs(p.Against) })
}
