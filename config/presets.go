package config

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// findPreset returns the named preset for a threshold, which is 0 if the user gives none. An empty
// name means the defaults. With a threshold, lines are compared as sets of words.
func findPreset(name string, threshold float64) (sketch.Recipe, error) {
	recipe, err := sketch.Preset(name)
	if err != nil {
		return recipe, fmt.Errorf("--%w; mithril-stream help presets says what each one sets, and "+
			"docs/recipes/corpora.md how GPT-3, RefinedWeb, Llama 3 and other corpora were made", err)
	}
	if recipe.Lines && threshold > 0 && threshold < 1 {
		recipe.Params.ShingleSize = 1
	}
	return recipe, nil
}

// ofLines makes each line a record if the recipe is for lines and neither a flag nor the name of an
// input says otherwise.
func (f *FormatFlags) ofLines(r sketch.Recipe, inputs []string) {
	named := slices.ContainsFunc(inputs, func(input string) bool { return layout.ByPath(input) != "" })
	if r.Lines && f.Format == "" && len(f.Field) == 0 && !named {
		f.Format = "text"
	}
}

// complete fills in what the user did not set.
func (s *SimilarFlags) complete(r sketch.Recipe) {
	s.Tuning.Complete(r)
	fill(&s.Sketch, r.Params.Sketch)
	fill(&s.BandKey, r.Params.BandKey)
	s.Seed = spec.Seed{Number: r.Params.Seed}
	if s.GivenSeed != nil {
		s.Seed = *s.GivenSeed
	}
}

// fill sets *to unless it is already set.
func fill[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}
