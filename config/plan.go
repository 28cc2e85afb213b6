package config

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// Plan asks what an index would cost and how often it would err.
type Plan struct {
	Documents Count  `required:"" placeholder:"N" help:"Records to plan for: 1e9, 500M."`
	Preset    string `placeholder:"NAME" help:"Take bands and rows from a published recipe: ${presets}."`
	TuneFlags
	BandKey     string  `default:"xxh3" enum:"xxh3,sum" placeholder:"HOW" help:"xxh3 or sum: keys of 128 or 61 bits. (default: ${default})"`
	FPRate      float64 `name:"fp-rate" placeholder:"P" default:"1e-8" help:"Probability that the full index takes an unseen record for a duplicate. (default: ${default})"`
	Filter      string  `default:"paged" placeholder:"KIND" help:"paged or classic. (default: ${default})"`
	OnFull      string  `default:"grow" placeholder:"WHAT" help:"grow keeps a share of --fp-rate for later generations; refuse does not. (default: ${default})"`
	MemoryLimit Size    `placeholder:"SIZE" help:"Say also where --memory auto with this limit would leave off to be exact."`
	SVG         string  `name:"svg" placeholder:"FILE" help:"Draw the S-curve into this file."`
	JSON        bool    `name:"json" help:"Write JSON."`

	Candidates TuneFlags        `kong:"-"` // how the exact memory would find pairs
	AfterLimit bloomlsh.Banding `kong:"-"` // the rule of --memory auto from its limit on
}

func (p Plan) resolve() (Command, error) {
	recipe, err := findPreset(p.Preset)
	if err != nil {
		return nil, err
	}
	given := p.TuneFlags
	p.Candidates = p.TuneFlags
	p.Candidates.forCandidates(p.Preset)
	p.Candidates.complete(recipe)
	p.TuneFlags.complete(recipe)
	switch {
	case p.Documents < 1:
		return nil, fmt.Errorf("--documents must be at least 1")
	case !isRate(p.FPRate):
		return nil, fmt.Errorf("--fp-rate %v must be between 0 and 1", p.FPRate)
	}
	if err := p.TuneFlags.check(); err != nil {
		return nil, err
	}
	if p.MemoryLimit > 0 {
		p.AfterLimit, err = given.afterLimit(p.Candidates, recipe)
	}
	return &p, err
}
