package config

import (
	"reflect"
	"time"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A comparison holds the flags that say how records are compared and remembered. It points to the
// groups of flags that a command embeds and to empty groups for the rest, so that each flag is
// checked and completed in one place, whatever the command.
type comparison struct {
	given  cmdline.Given
	fields *[]string // the fields that contain the text of a record
	format string    // the format of the records, if the user named one
	comparing
	remembering
	resolved
}

// comparing holds the flags about comparing two records.
type comparing struct {
	*spec.Text
	*SimilarFlags
	*WeightFlags
	*DistanceFlags
	*EmbeddingFlags
	*VectorFlags
	*TokenFlags
	*SampleFlags
	*DirectionFlags
	*EqualityFlags
	*PartFlags
	*EditFlags
	*WithinFlags
}

// remembering holds the flags about the memory.
type remembering struct {
	*spec.OwnIndex
	*SeenFlags
	*ForgetFlags
	*ExactFlags
	*OriginalFlags
}

// resolved holds what is derived from the flags.
type resolved struct {
	fingerprint *spec.Fingerprint // nil if fingerprints are not compared
	samples     *spec.Samples     // nil if samples are not compared
	open        spec.Tuning       // as the user gave it, before it is completed
	recipe      sketch.Recipe
}

// comparisonOf returns the comparison that flags ask for. flags is a pointer to a command's flags;
// fields points to the names of its text fields.
func comparisonOf(flags any, given cmdline.Given, fields *[]string) *comparison {
	groups := map[reflect.Type]reflect.Value{}
	eachGroup(reflect.ValueOf(flags).Elem(), func(group reflect.Value) { groups[group.Type()] = group })
	c := &comparison{given: given, fields: fields}
	for _, of := range []reflect.Value{reflect.ValueOf(&c.comparing).Elem(), reflect.ValueOf(&c.remembering).Elem()} {
		for i := range of.NumField() {
			field := of.Field(i)
			if group, isEmbedded := groups[field.Type().Elem()]; isEmbedded {
				field.Set(group.Addr())
			} else {
				field.Set(reflect.New(field.Type().Elem()))
			}
		}
	}
	return c
}

// eachGroup calls do for each group of flags embedded in a struct, at any depth.
func eachGroup(in reflect.Value, do func(group reflect.Value)) {
	for i := range in.NumField() {
		if in.Type().Field(i).Anonymous {
			do(in.Field(i))
			eachGroup(in.Field(i), do)
		}
	}
}

// resolveOthers resolves the flags about fingerprints, samples and vectors.
func (c *comparison) resolveOthers() error {
	return firstOf(c.resolveFingerprint, c.resolveSamples, c.resolveEmbedding)
}

// isOfShingles reports whether texts are compared by their sets of shingles.
func (c *comparison) isOfShingles() bool { return c.ByMinHash() && c.Method == "" }

// completeTuning fills in the tuning parameters that the user did not set. If the memory compares
// whole signatures, and not only their bands, it tunes for that.
func (c *comparison) completeTuning(r sketch.Recipe) {
	c.recipe, c.open = r, c.Tuning
	if c.IsExact() && c.fingerprint == nil && c.samples == nil {
		c.ForMemory(c.Preset, c.ExactFlags.Memory, c.verification())
	}
	c.SimilarFlags.complete(r)
}

// method returns how records are judged. All flags must be complete and checked.
func (c *comparison) method() (m spec.Method, err error) {
	m = spec.Method{Rule: c.rule(), Memory: c.memory()}
	if c.ExactFlags.Memory == spec.MemoryAuto {
		m.Memory.AfterLimit, err = c.open.BandingAfter(c.Tuning, c.recipe)
	}
	return m, err
}

func (c *comparison) rule() spec.Rule {
	rule := ruleOf(*c.Text, *c.SimilarFlags)
	rule.Verification = c.verification()
	if !c.given["--verify"] && c.Verify == spec.VerifyText {
		rule.Estimated = c.open.WithoutSets(c.recipe)
	}
	rule.Fingerprint, rule.Samples = c.fingerprint, c.samples
	rule.Vectors = spec.Vectors{Model: c.Model, Pooling: c.Pooling, Field: c.Vector}
	rule.Parts = spec.Parts{
		Method: c.Method, Overlap: c.Overlap, NGram: c.NGram, Tokens: c.PartFlags.Tokens, Scale: c.PartScale,
		Forms: c.KeyForms, IsKey: len(c.Key) > 0,
	}
	rule.Within = spec.ParseWithin(c.Within)
	return rule
}

func (c *comparison) memory() spec.Memory {
	return spec.Memory{
		Kind: c.ExactFlags.Memory, OwnIndex: *c.OwnIndex, Against: c.Against,
		Limit: spec.Limit{Bytes: uint64(c.MaxMemory)}, Remember: c.Remember,
		Filters: spec.Filters{
			Kind: c.Filter, Capacity: uint64(c.Capacity), Planned: c.GivenCapacity != nil, Parts: uint64(c.Parts),
			FPRate: c.FPRate, OnFull: c.OnFull,
		},
		Forget: spec.Forget{Generations: c.KeepGenerations, After: time.Duration(c.ForgetAfter), Time: c.Time},
	}
}

// ruleOf returns the rule that compares texts by their sets of shingles.
func ruleOf(text spec.Text, similar SimilarFlags) spec.Rule {
	return spec.Rule{
		Text: text, Sketch: similar.Sketch, BandKey: similar.BandKey, Seed: similar.Seed,
		Tuning: similar.Tuning,
	}
}
