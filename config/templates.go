package config

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Templates asks which kinds of records there are, and what the records of each kind share.
type Templates struct {
	Filter   Filter // how records are read, and which are similar
	MaxKinds int    // maximum number of kinds to remember
	Top      int    // number of kinds to write; 0 means all, or about a screenful on a terminal
	Form     string // jsonl or table; empty means table on a terminal
	Output   string // - for standard output
	Report   string // file for a page; may be empty
}

// TemplatesFlags are the flags of the command that finds templates.
type TemplatesFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"The input, read once: files, - for standard input, directories, quoted patterns. (default: standard input)"`

	FormatFlags  `group:"records"`
	ID           string `name:"id" group:"records" placeholder:"FIELD" help:"@templates/id"`
	spec.Text    `group:"text"`
	SimilarFlags `group:"similar"`

	MaxKinds values.Count `range:"[2,100000000]" group:"index" default:"100000" placeholder:"N" help:"@templates/max-kinds"`
	Top      int          `range:"[1,)" group:"output" placeholder:"N" help:"Write only the N kinds with the most records. (default: all; 40 where they are a table on a terminal)"`
	To       string       `group:"output" enum:",jsonl,table" default:"" placeholder:"HOW" help:"@templates/to"`
	Output   string       `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Write the kinds to this file. (default: standard output)"`
	Report   string       `writes:"kinds" group:"output" placeholder:"FILE" help:"Write a page of HTML that shows the kinds to this file."`
	Quiet    bool         `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

// templatePreset is the default rule that makes records belong to the same kind.
const templatePreset = "logs"

func (t TemplatesFlags) resolve(cmdline.Given) (Command, error) {
	fill(&t.Preset, templatePreset)
	if !t.ByMinHash() {
		return nil, errors.New("templates are of records that share words: leave --sketch " + t.Sketch + " out")
	}
	recipe, err := findPreset(t.Preset, t.Threshold)
	if err != nil {
		return nil, err
	}
	t.Text.Complete(recipe)
	t.ofLines(recipe, t.Inputs)
	t.SimilarFlags.complete(recipe)
	filter, err := t.reading(t.Inputs, "", t.Quiet)
	if err != nil {
		return nil, err
	}
	err = firstOf(func() error { return checkInputs(t.Inputs) }, t.FormatFlags.check, t.Tuning.Check)
	if err != nil {
		return nil, err
	}
	filter.Rule, filter.Input.ID = ruleOf(t.Text, t.SimilarFlags), t.ID
	filter.Rule.Verify, filter.Memory.Kind = spec.VerifySignature, spec.MemoryExact
	return &Templates{
		Filter:   filter,
		MaxKinds: int(t.MaxKinds), Top: t.Top, Form: t.To, Output: t.Output, Report: t.Report,
	}, nil
}
