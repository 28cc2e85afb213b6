package config

import (
	"time"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// The values that flags say, once presets and defaults have completed them.

// ruleOf is the rule over texts and their sets of shingles.
func ruleOf(text spec.Text, similar SimilarFlags) spec.Rule {
	return spec.Rule{
		Text: text, Sketch: similar.Sketch, BandKey: similar.BandKey, Seed: similar.Seed,
		Tuning: similar.Tuning,
	}
}

func (e ExactFlags) verification() spec.Verification {
	return spec.Verification{Verify: e.Verify, Containment: e.Containment, Shingle: e.VerifyShingle}
}

func (e EmbeddingFlags) vectors(v VectorFlags) spec.Vectors {
	return spec.Vectors{Model: e.Model, Pooling: e.Pooling, Field: v.Vector}
}

func (p PartFlags) value() spec.Parts {
	return spec.Parts{Method: p.Method, Overlap: p.Overlap, NGram: p.NGram, Tokens: p.Tokens, Scale: p.PartScale}
}

func (m MethodFlags) value() spec.Parts {
	parts := m.PartFlags.value()
	parts.Forms, parts.IsKey = m.KeyForms, len(m.Key) > 0
	return parts
}

func (m MemoryFlags) memory(e ExactFlags) spec.Memory {
	memory := m.SeenFlags.memory(e)
	memory.Index, memory.ReadOnly = m.Index, m.ReadOnly
	return memory
}

func (s SeenFlags) memory(e ExactFlags) spec.Memory {
	return spec.Memory{
		Kind: e.Memory, Against: s.Against, Limit: spec.Limit{Bytes: uint64(e.MaxMemory)}, Remember: s.Remember,
		Filters: spec.Filters{
			Kind: s.Filter, Capacity: uint64(s.Capacity), Planned: s.GivenCapacity != nil, FPRate: s.FPRate,
			OnFull: s.OnFull,
		},
		Forget: spec.Forget{
			Generations: s.KeepGenerations, After: time.Duration(s.Forget.ForgetAfter), Time: s.Forget.Time,
		},
	}
}
