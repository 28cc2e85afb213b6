package config

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// findPreset returns a preset by its name, for the threshold that the user gives, or 0; the empty
// name means the defaults. Lines that need not be the same are compared by their words, in any
// order.
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

// ofLines has records be lines, if that is what a recipe is for, and nothing says otherwise: no
// flag, and no name of an input.
func (f *FormatFlags) ofLines(r sketch.Recipe, inputs []string) {
	named := slices.ContainsFunc(inputs, func(input string) bool { return layout.ByPath(input) != "" })
	if r.Lines && f.Format == "" && len(f.Field) == 0 && !named {
		f.Format = "text"
	}
}

// complete fills what the user left alone.
func (t *TextFlags) complete(r sketch.Recipe) {
	fill(&t.Normalize, r.Params.Normalize)
	fill(&t.Tokenize, r.Params.Tokenize)
	fill(&t.ShingleSize, r.Params.ShingleSize)
}

// complete fills what the user left alone.
func (s *SimilarFlags) complete(r sketch.Recipe) {
	s.TuneFlags.complete(r)
	fill(&s.Sketch, r.Params.Sketch)
	fill(&s.BandKey, r.Params.BandKey)
	s.Seed = spec.Seed{Number: r.Params.Seed}
	if s.GivenSeed != nil {
		s.Seed = *s.GivenSeed
	}
}

// complete fills in what the user did not set. An option overrides the preset. Bands, rows and
// votes follow from the threshold, the tuning method and the number of permutations: if one of
// these is given they are tuned again, and the others stay those of the preset.
func (t *TuneFlags) complete(r sketch.Recipe) {
	if t.Recall != 0 {
		fill(&t.Tune, bloomlsh.TuneForRecall)
	}
	tuned := t.differ(r)
	switch {
	case t.Bands != 0 || t.Rows != 0: // the user's own
		fill(&t.NumPerm, t.enough(r))
		fill(&t.Votes, 1)
	case r.Name == "" && t.Votes != 0: // how many bands they are of is for the tuner
	case !tuned:
		t.Bands, t.Rows = r.Params.Bands, r.Params.Rows
		fill(&t.NumPerm, r.Params.NumPerm)
		fill(&t.Votes, r.Votes)
	}
	if r.Name != "" && r.Votes == 1 {
		fill(&t.NumPerm, r.Params.NumPerm)
		fill(&t.Votes, 1)
		fill(&t.Tune, r.Tune)
		fill(&t.Tune, bloomlsh.TuneForRecall)
	}
	defaults, _ := sketch.Preset("")
	for _, from := range []sketch.Recipe{r, defaults} {
		fill(&t.Threshold, from.Threshold)
		fill(&t.Tune, from.Tune)
	}
	fill(&t.Recall, spec.DefaultRecall)
	fill(&t.Profile, bloomlsh.DefaultProfile)
}

// differ reports whether the user asks for bands other than those of the recipe: to name what a
// preset has anyway changes nothing.
func (t *TuneFlags) differ(r sketch.Recipe) bool {
	if r.Name == "" {
		r = sketch.Recipe{}
	}
	return t.Threshold != 0 && t.Threshold != r.Threshold || t.Tune != "" && t.Tune != r.Tune ||
		t.NumPerm != 0 && t.NumPerm != r.Params.NumPerm || t.Profile != ""
}

// forCandidates is for a memory that verifies what it finds: there one shared band is enough to
// look at a pair, so that nearly all of those at the threshold are found.
func (t *TuneFlags) forCandidates(preset string) {
	if preset == "" && t.Tune == "" && t.Bands == 0 && t.Votes == 0 {
		t.Tune, t.Votes = bloomlsh.TuneForRecall, 1
	}
}

// forSignatures is forCandidates where signatures say how similar candidates are, unless sets of
// shingles do.
func (t *TuneFlags) forSignatures(preset string, by spec.Verification) {
	isTuned := t.Tune != "" || t.Votes != 0
	t.IsOpen = !isTuned && t.NumPerm == 0 && t.Bands == 0 && t.Rows == 0 && t.Recall == 0 && t.Profile == ""
	t.forCandidates(preset)
	switch {
	case preset != "" || t.NumPerm != 0 || t.Bands != 0 || isTuned && by.ComparesSets():
	case by.ComparesSets():
		t.NumPerm = spec.SlotsWithSets(t.Threshold)
		fill(&t.Recall, spec.RecallWithSets)
	default:
		t.LeastSlots = spec.UsualSlots
	}
}

// forMemory is one of both: Bloom filters, which --memory auto ends with, need no slots beside
// those of bands.
func (t *TuneFlags) forMemory(preset string, e ExactFlags) {
	if e.Memory == spec.MemoryAuto {
		t.forCandidates(preset)
		return
	}
	t.forSignatures(preset, e.verification())
}

// afterLimit is the rule of Bloom filters over signatures that were made to find candidates: tuned
// like any other rule, for signatures of that length.
func (t TuneFlags) afterLimit(candidates TuneFlags, r sketch.Recipe) (bloomlsh.Banding, error) {
	found, err := candidates.Banding()
	if err != nil {
		return found, err
	}
	fill(&t.NumPerm, found.NumPerm)
	t.complete(r)
	return t.Banding()
}

// enough is the number of permutations for the user's own bands and rows: as many as they use, and
// of a preset no fewer than it has.
func (t *TuneFlags) enough(r sketch.Recipe) int {
	used := t.Bands * t.Rows
	if r.Name == "" {
		return used
	}
	return max(used, r.Params.NumPerm)
}

// fill sets *to where it is still zero.
func fill[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}
