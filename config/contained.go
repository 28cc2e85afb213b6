package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Values of DirectionFlags.Contained.
const (
	InEarlier = "in-earlier"
	Either    = "either"
)

// SampleFlags set the size of samples.
type SampleFlags struct {
	Scale int `rule:"yes" not:"sketched" range:"[1,1024]" placeholder:"N" help:"@contained/scale"`
}

// ContainedFlags say how much of one text must be contained in another, and in which direction.
type ContainedFlags struct {
	SampleFlags
	DirectionFlags
}

// DirectionFlags say which of two texts must be contained in the other.
type DirectionFlags struct {
	Contained string `rule:"yes" run:"same" needs:"--sketch fracminhash: only this knows how much of a text is in another one" enum:",in-earlier,either" default:"" placeholder:"WHICH" help:"@contained/contained"`
}

// resolveSamples completes the flags about samples, if samples are used, and rejects flags that
// have no effect on them. Where samples decide and do not hold all shingles, finer samples make the
// decision.
func (c *comparison) resolveSamples() error {
	const name = "--sketch " + spec.SketchFracMinHash
	if c.Sketch != spec.SketchFracMinHash {
		if c.Verify == spec.VerifySample {
			return fmt.Errorf("--verify %s needs %s", spec.VerifySample, name)
		}
		if c.Scale != 0 && c.Method == "" {
			return fmt.Errorf("--scale needs %s, or --method %s: only these keep samples", name,
				strings.Join(overlap.SampledMethods(), " or "))
		}
		return nil
	}
	if err := bySamples.check(c.given, name); err != nil {
		return err
	}
	if c.given["--memory"] {
		if err := bySamples.checkValue(name, "--memory", c.Memory); err != nil {
			return err
		}
	}
	fill(&c.Scale, spec.DefaultScale)
	fill(&c.Threshold, spec.DefaultShare)
	fill(&c.Contained, InEarlier)
	fill(&c.Verify, spec.VerifySample)
	switch {
	case c.Scale&(c.Scale-1) != 0:
		return fmt.Errorf("--scale %d must be a power of two", c.Scale)
	case !slices.Contains([]string{spec.VerifySample, spec.VerifyText}, c.Verify):
		return fmt.Errorf("--verify %s is about signatures: with %s it is %s or %s", c.Verify, name,
			spec.VerifySample, spec.VerifyText)
	}
	c.Memory = spec.MemoryExact
	c.samples = &spec.Samples{
		Scale: c.Scale, Either: c.Contained == Either, Finer: c.Verify != spec.VerifyText && c.Scale > 1,
	}
	return nil
}
