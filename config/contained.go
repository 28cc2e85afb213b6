package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Values of ContainedFlags.Contained.
const (
	InEarlier = "in-earlier"
	Either    = "either"
)

// defaultShare is the default of --threshold for samples.
const defaultShare = .8

// SampleFlags say how large samples are.
type SampleFlags struct {
	Scale int `rule:"yes" not:"sketched" range:"[1,1024]" placeholder:"N" help:"@contained/scale"`
}

// ContainedFlags say how much of a text must be in which one.
type ContainedFlags struct {
	SampleFlags
	Contained string `rule:"yes" run:"same" needs:"--sketch fracminhash: only this knows how much of a text is in another one" enum:",in-earlier,either" default:"" placeholder:"WHICH" help:"@contained/contained"`
}

// refine asks for finer samples, where samples decide that are not all shingles. That is for what
// asks about one record after the other.
func refine(c *spec.Samples, verify string) {
	if c != nil {
		c.Finer = verify != spec.VerifyText && c.Scale > 1
	}
}

// resolveFor resolves what a command says about samples that has not all flags of the filter. If it
// asks for them, it changes what is left open of the command's other flags.
func (c ContainedFlags) resolveFor(isGiven explicitFlags, similar *SimilarFlags, e *ExactFlags) (*spec.Samples, error) {
	f := FilterFlags{given: isGiven, SimilarFlags: *similar, ContainedFlags: c, ExactFlags: *e}
	if !isGiven["--memory"] { // a default of the command
		f.Memory = ""
	}
	contained, err := f.resolveContained()
	if err == nil && contained != nil {
		*similar, *e = f.SimilarFlags, f.ExactFlags
	}
	refine(contained, f.Verify)
	return contained, err
}

// resolveContained returns what the flags say about samples, nil if that is nothing. It refuses
// what they have no use for.
func (f *FilterFlags) resolveContained() (*spec.Samples, error) {
	const name = "--sketch " + spec.SketchFracMinHash
	if f.Sketch != spec.SketchFracMinHash {
		if f.Verify == spec.VerifySample {
			return nil, fmt.Errorf("--verify %s needs %s", spec.VerifySample, name)
		}
		if f.Scale != 0 && f.Method == "" {
			return nil, fmt.Errorf("--scale needs %s, or --method %s: only these keep samples", name,
				strings.Join(overlap.SampledMethods(), " or "))
		}
		return nil, nil
	}
	if err := bySamples.check(f.given, name); err != nil {
		return nil, err
	}
	fill(&f.Scale, spec.DefaultScale)
	fill(&f.Threshold, defaultShare)
	fill(&f.Contained, InEarlier)
	fill(&f.Verify, spec.VerifySample)
	switch {
	case f.Scale&(f.Scale-1) != 0:
		return nil, fmt.Errorf("--scale %d must be a power of two", f.Scale)
	case f.Memory != "" && f.Memory != spec.MemoryExact:
		return nil, fmt.Errorf("--memory %s does not go with %s, which remembers all samples: leave it out", f.Memory,
			name)
	case !slices.Contains([]string{spec.VerifySample, spec.VerifyText}, f.Verify):
		return nil, fmt.Errorf("--verify %s is about signatures: with %s it is %s or %s", f.Verify, name,
			spec.VerifySample, spec.VerifyText)
	}
	f.Memory = spec.MemoryExact
	return &spec.Samples{Scale: f.Scale, Either: f.Contained == Either}, nil
}
