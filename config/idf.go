package config

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// IDF asks for a table of weights, which records how many records contain each shingle.
type IDF struct {
	Filter   Filter // how records are read and split into shingles
	Shingles int    // maximum number of shingles in the table
	Output   string
}

// IDFFlags are the flags of the command that creates a table of weights.
type IDFFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"The input: files, - for standard input, directories, quoted patterns. (default: standard input)"`

	FormatFlags `group:"records"`
	spec.Text   `group:"text"`
	Shingles    int    `range:"[1,16777216]" group:"output" default:"1000000" placeholder:"N" help:"@idf/shingles"`
	Output      string `writes:"summary" short:"o" required:"" group:"output" placeholder:"FILE" help:"Write the table to this file, compressed if its name ends in .gz or .zst."`
	Quiet       bool   `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

func (f IDFFlags) resolve(cmdline.Given) (Command, error) {
	if f.Preset != "" {
		return nil, errors.New("--preset is about signatures, and a table of weights about fingerprints: leave it out")
	}
	fill(&f.ShingleSize, idfShingle)
	recipe, err := findPreset("", 0)
	if err != nil {
		return nil, err
	}
	f.Text.Complete(recipe)
	filter, err := f.reading(f.Inputs, "", f.Quiet)
	if err != nil {
		return nil, err
	}
	if err := firstOf(func() error { return checkInputs(f.Inputs) }, f.FormatFlags.check); err != nil {
		return nil, err
	}
	filter.Rule.Text, filter.Rule.Sketch = f.Text, spec.SketchSimHash
	filter.Rule.Fingerprint = &spec.Fingerprint{Bits: 64, Weight: "tf"} // any valid value
	filter.Memory.Kind = spec.MemoryExact
	return &IDF{Filter: filter, Shingles: f.Shingles, Output: f.Output}, nil
}
