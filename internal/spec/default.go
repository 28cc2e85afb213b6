package spec

import (
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Defaults of the rule and of Bloom filters.
const (
	DefaultRecall   = 0.95 // of Tuning.Tune recall
	RecallWithSets  = 0.98 // the same where sets of shingles decide, so that few bands suffice
	DefaultCapacity = 1_000_000
	DefaultFPRate   = 1e-8

	// UsualSlots is how many slots a signature has that is compared slot by slot, with few bits of
	// each: more than find candidates, so that estimates are sharper, and as many as those of Bloom
	// filters, so that they take no more time.
	UsualSlots = 256
)

// SlotsWithSets returns how many slots a signature has that only finds candidates, which sets of
// shingles decide about; 0 for as many as a signature without sets. Few slots make few bands, which
// take less time and memory. But below a threshold of .7 these would find too many candidates. The
// threshold is 0 where it was not given.
func SlotsWithSets(threshold float64) int {
	if threshold != 0 && threshold < .7 {
		return 0
	}
	return 64
}

// Default is what the program does without options but --threshold and --memory: the threshold is 0
// where it was not given, and the memory MemoryBloom or MemoryExact.
func Default(threshold float64, memory string) Method {
	recipe, _ := sketch.Preset("") // there is always this one
	text := Text{Markup: "none"}
	text.Complete(recipe)
	given := Tuning{Threshold: threshold}
	tuning, verification := given, Verification{Verify: VerifySignature}
	if memory == MemoryExact { // verifies what it finds
		verification = Verification{Verify: VerifyText, Estimated: given.WithoutSets(recipe)}
		tuning.ForSignatures("", verification)
	}
	tuning.Complete(recipe)
	return Method{
		Rule: Rule{
			Text: text, Sketch: recipe.Params.Sketch, BandKey: recipe.Params.BandKey,
			Seed: Seed{Number: recipe.Params.Seed}, Tuning: tuning, Verification: verification,
		},
		Memory: Memory{
			Kind: memory, Remember: "all",
			Filters: Filters{Capacity: DefaultCapacity, FPRate: DefaultFPRate, OnFull: bloomlsh.OnFullGrow},
		},
	}
}
