package config

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Sign asks for the signatures of records.
type Sign struct {
	Filter Filter // how records are read, and how they are sketched
	Binary bool   // write the binary format of package signature
	Output string // file, or - for standard output
	Format string // one of layout.ResultFormats
}

// SignFlags are the flags of the command that writes signatures.
type SignFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"The input: files, - for standard input, directories, quoted patterns. (default: standard input)"`

	FormatFlags `group:"records"`
	ID          string `name:"id" group:"records" placeholder:"FIELD" help:"@sign/id"`
	spec.Text   `group:"text"`
	SignSketch  `group:"similar"`
	WeightFlags `group:"similar"`

	EmbeddingFlags `group:"similar"`
	SampleFlags    `group:"similar"`

	Binary bool   `group:"output" help:"Write signatures in a binary form that records their parameters, in base64. The Go package signature reads it."`
	Output string `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Write the signatures to this file, in the format of its name: .jsonl, .tsv, .csv, .parquet or .arrow. (default: standard output)"`
	To     string `group:"output" placeholder:"NAME" values:"tsv,jsonl,csv,parquet,arrow" help:"Write the signatures in this format. (default: what the name of --output says, or jsonl)"`
	Quiet  bool   `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

// SignSketch says which signatures to compute.
type SignSketch struct {
	Sketch    string     `placeholder:"HOW" help:"@sign/sketch"`
	NumPerm   int        `range:"[1,65536]" aliases:"permutations" placeholder:"K" help:"How many slots a MinHash signature has. (default: 256, or those of --preset)"`
	GivenSeed *spec.Seed `name:"seed" placeholder:"N" help:"Seed of the hash functions of MinHash. (default: 1)"`
}

func (s SignFlags) resolve(isGiven cmdline.Given) (Command, error) {
	recipe, err := findPreset(s.Preset, 0)
	if err != nil {
		return nil, err
	}
	if s.GivenSeed != nil && s.GivenSeed.Random {
		return nil, errors.New("--seed random is not kept anywhere, so nothing could be compared with these " +
			"signatures: give a number")
	}
	c := comparisonOf(&s, isGiven, &s.Field)
	c.Sketch, c.GivenSeed, c.NumPerm = s.Sketch, s.GivenSeed, s.NumPerm
	if err := c.resolveOthers(); err != nil {
		return nil, err
	}
	if s.Binary && c.samples != nil {
		return nil, errors.New("--binary: samples have no binary form: leave it out")
	}
	c.Text.Complete(recipe)
	s.ofLines(recipe, s.Inputs)
	fill(&c.NumPerm, recipe.Params.NumPerm)
	fill(&c.Sketch, recipe.Params.Sketch)
	c.Seed = spec.Seed{Number: recipe.Params.Seed}
	if s.GivenSeed != nil {
		c.Seed = *s.GivenSeed
	}
	filter, err := s.reading(s.Inputs, "", s.Quiet)
	if err != nil {
		return nil, err
	}
	format, err := layout.ResultFormat(s.Output, s.To, "jsonl")
	if err != nil {
		return nil, err
	}
	if err := firstOf(func() error { return checkInputs(s.Inputs) }, s.FormatFlags.check); err != nil {
		return nil, err
	}
	filter.Rule, filter.Input.ID = c.rule(), s.ID
	filter.Memory.Kind = spec.MemoryExact
	return &Sign{Filter: filter, Binary: s.Binary, Output: s.Output, Format: format}, nil
}
