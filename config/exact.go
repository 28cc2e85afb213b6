package config

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// ShareFlag sets how much of one text must be contained in another.
type ShareFlag struct {
	VerifyShingle int `rule:"yes" not:"simhash,tlsh,samples,embedding,keys,kinds,set,sketched,vectors" run:"same" needs:"--verify text|--verify containment|--memory exact: their sets have these shingles" range:"[1,)" placeholder:"N" help:"@exact/verify-shingle"`

	Containment float64 `rule:"yes" not:"keys,set,sketched" run:"same" needs:"--verify containment: it is the share that this asks for" range:"(0,1]" placeholder:"C" help:"With --verify containment: the share of the shorter text's shingles that the other text must contain. (default: 0.9)"`
}

// defaultContainment is the default of ShareFlag.Containment.
const defaultContainment = .9

// complete fills in what the user did not set.
func (s *ShareFlag) complete(verify string) {
	if verify == spec.VerifyContainment {
		fill(&s.Containment, defaultContainment)
	}
}

// leastLimit is the smallest --max-memory allowed for Bloom filters. Half of it is for records that
// are read ahead.
const leastLimit = 64 << 20

// ExactFlags say whether the memory knows which record a duplicate resembles, and how it finds out.
type ExactFlags struct {
	Memory    string `rule:"yes" not:"kinds" group:"index" enum:",bloom,exact,auto" default:"" placeholder:"WHICH" brief:"bloom, or exact to know what each record resembles" help:"@exact/memory"`
	Verify    string `rule:"yes" not:"simhash,tlsh,embedding,keys,set,kinds,sketched,bloom" run:"same" group:"index" enum:",signature,text,containment,sample" default:"" placeholder:"HOW" help:"@exact/verify"`
	ShareFlag `group:"index"`
	MaxMemory values.Size `not:"similarity,simhash,tlsh,embedding,set,kinds" range:"[1,)" group:"index" aliases:"memory-limit" placeholder:"SIZE" help:"@exact/max-memory"`
}

// OriginalFlags say where to report which record a duplicate resembles.
type OriginalFlags struct {
	ID        string `rule:"yes" not:"set,told,sketched,bloom" run:"same" name:"id" group:"records" placeholder:"FIELD" brief:"What names a record in --originals" help:"@exact/id"`
	Originals string `not:"set,told,bloom" writes:"records" group:"output" placeholder:"FILE" brief:"What each removed record resembles" help:"@exact/originals"`
}

// complete fills in what the user did not set. If texts are compared by their sets of shingles, an
// exact memory compares those sets.
func (e *ExactFlags) complete(hasShingles bool) {
	fill(&e.Memory, spec.MemoryBloom)
	if e.Memory == spec.MemoryExact && hasShingles {
		fill(&e.Verify, spec.VerifyText)
	}
	fill(&e.Verify, spec.VerifySignature)
	e.ShareFlag.complete(e.Verify)
}

// verification returns how candidates are verified.
func (e ExactFlags) verification() spec.Verification {
	return spec.Verification{Verify: e.Verify, Containment: e.Containment, Shingle: e.VerifyShingle}
}

// IsExact reports whether originals are known, at least at first.
func (e ExactFlags) IsExact() bool {
	return e.Memory == spec.MemoryExact || e.Memory == spec.MemoryAuto
}

// Errors that a run and the plan of a run have in common.
var (
	errLeastLimit = fmt.Errorf("--max-memory must be at least %d MiB", leastLimit>>20)
	errNoPages    = errors.New("--max-memory reads pages of filters, and --filter classic has none: leave one of " +
		"them out")
)

// checkExact rejects flags that conflict with the chosen memory.
func (c *comparison) checkExact() error {
	e, asks := c.ExactFlags, "--memory "+c.ExactFlags.Memory
	var err error
	switch e.Memory {
	case spec.MemoryExact:
		exact := inExact
		if !c.given["--memory"] { // it is the command's default
			exact.needs, exact.does = "--memory bloom", "the default memory has no Bloom filters"
		}
		err = exact.check(c.given, asks)
	case spec.MemoryAuto:
		err = firstOf(func() error { return inBoth.check(c.given, asks) },
			func() error { return inBoth.checkValue(asks, "--verify", e.Verify) })
	case spec.MemoryBloom:
		given := c.given
		if c.ID == "" { // given as "": turns ids off for an index that has them
			given = given.Without("--id")
		}
		err = inBloom.check(given, asks)
	}
	switch {
	case err != nil:
		return err
	case e.VerifyShingle != 0 && !e.verification().ComparesSets():
		return fmt.Errorf("--verify-shingle needs --verify text or --verify containment: --verify %s compares no sets",
			e.Verify)
	case e.Memory == spec.MemoryAuto && e.MaxMemory == 0:
		return errors.New("--memory auto needs --max-memory SIZE: up to there it is exact")
	case e.Memory == spec.MemoryBloom && e.MaxMemory != 0 && c.Index == "" && len(c.Against) == 0:
		return errors.New("--max-memory needs --memory exact or auto, or --index DIR: Bloom filters that have no " +
			"room in memory are read from its files")
	case e.Memory == spec.MemoryBloom && e.MaxMemory != 0 && e.MaxMemory < leastLimit:
		return errLeastLimit
	case e.Memory != spec.MemoryExact && e.MaxMemory != 0 && c.Filter == bloomlsh.FilterClassic:
		return errNoPages
	}
	return nil
}
