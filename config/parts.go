package config

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// resolveFor resolves what a command says about parts of texts that has not all flags of the
// filter. If it asks for a method, what that takes is taken out of the other flags, and isGiven
// is what is left of those that were given.
func (p *PartFlags) resolveFor(
	isGiven explicitFlags, text *spec.Text, similar SimilarFlags, samples *SampleFlags, seen *SeenFlags, memory *string,
) (explicitFlags, error) {
	f := FilterFlags{
		given: isGiven, Text: *text, SimilarFlags: similar,
		ContainedFlags: ContainedFlags{SampleFlags: *samples},
		MethodFlags:    MethodFlags{PartFlags: *p, Action: ActionDrop},
		ExactFlags:     ExactFlags{Memory: *memory},
	}
	f.SeenFlags = *seen
	if !isGiven["--memory"] { // a default of the command, for similar texts
		f.Memory = spec.MemoryBloom
	}
	if err := firstOf(f.methodOfPreset, f.resolveMethod); err != nil || f.Method == "" {
		return isGiven, err
	}
	*p, *text, *seen, *memory = f.PartFlags, f.Text, f.SeenFlags, f.Memory
	*samples = SampleFlags{} // which are of n-grams
	return f.given, nil
}

// checkTopic refuses a memory that cannot be kept beside offsets. The preset may be the method.
func (p PartFlags) checkTopic(preset, memory string) error {
	method := p.Method
	if slices.Contains(overlap.MethodNames(), preset) {
		method = preset
	}
	if method != "" && memory == spec.MemoryExact {
		return fmt.Errorf("--memory exact does not go with --method %s between topics: its set of parts is not kept, "+
			"and a consumer goes on with what is: leave it out", method)
	}
	return nil
}
