package config

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Templates asks for the kinds of records that there are, and what the records of each have in
// common.
type Templates struct {
	Filter   Filter // how records are read, and which resemble each other
	MaxKinds int    // kinds that are remembered
	Top      int    // kinds that are written; 0: all, but on a terminal not more than a screen or so
	Form     string // jsonl or table; empty: table on a terminal
	Output   string // - for standard output
	Report   string // the file of a page; may be empty
}

// TemplatesFlags are the flags of the command that tells templates.
type TemplatesFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"The input, read once: files, - for standard input, directories, quoted patterns. (default: standard input)"`

	FormatFlags  `group:"records"`
	ID           string `name:"id" group:"records" placeholder:"FIELD" help:"@templates/id"`
	spec.Text    `group:"text"`
	SimilarFlags `group:"similar"`

	MaxKinds Count  `range:"[2,100000000]" group:"index" default:"100000" placeholder:"N" help:"@templates/max-kinds"`
	Top      int    `range:"[1,)" group:"output" placeholder:"N" help:"Write only the N kinds with the most records. (default: all; 40 where they are a table on a terminal)"`
	To       string `group:"output" enum:",jsonl,table" default:"" placeholder:"HOW" help:"@templates/to"`
	Output   string `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Write the kinds to this file. (default: standard output)"`
	Report   string `writes:"kinds" group:"output" placeholder:"FILE" help:"Write a page of HTML that shows the kinds to this file."`
	Quiet    bool   `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

// templatePreset is the rule by which records are of a kind, if the user names no other.
const templatePreset = "logs"

func (t TemplatesFlags) resolve(explicitFlags) (Command, error) {
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
