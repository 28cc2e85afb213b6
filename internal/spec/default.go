package spec

import (
	"cmp"

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
	p := recipe.Params
	tuning := Tuning{
		Threshold: cmp.Or(threshold, recipe.Threshold), Tune: recipe.Tune, Recall: DefaultRecall,
		Profile: bloomlsh.DefaultProfile,
	}
	verify, estimated := VerifySignature, (*Tuning)(nil)
	switch {
	case memory == MemoryExact: // verifies what it finds, so one shared band is enough to look at a pair
		verify, tuning.IsOpen = VerifyText, true
		signed := tuning
		signed.Tune, signed.Votes, signed.LeastSlots = bloomlsh.TuneForRecall, 1, UsualSlots
		estimated = &signed
		tuning.Tune, tuning.Votes, tuning.Recall = bloomlsh.TuneForRecall, 1, RecallWithSets
		tuning.NumPerm = SlotsWithSets(threshold)
	case threshold == 0:
		tuning.NumPerm, tuning.Bands, tuning.Rows, tuning.Votes = p.NumPerm, p.Bands, p.Rows, recipe.Votes
	}
	return Method{
		Rule: Rule{
			Text:   Text{Markup: "none", Normalize: p.Normalize, Tokenize: p.Tokenize, ShingleSize: p.ShingleSize},
			Sketch: p.Sketch, BandKey: "xxh3", Seed: Seed{Number: p.Seed},
			Tuning: tuning, Verification: Verification{Verify: verify, Estimated: estimated},
		},
		Memory: Memory{
			Kind: memory, Remember: "all",
			Filters: Filters{Capacity: DefaultCapacity, FPRate: DefaultFPRate, OnFull: bloomlsh.OnFullGrow},
		},
	}
}
