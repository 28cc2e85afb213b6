package config

import (
	"fmt"
	"slices"
	"strings"
)

// A preset is a recipe that somebody has published: everything that decides which texts are duplicates.
type preset struct {
	name   string
	source string
	text   TextFlags
	tune   TuneFlags
}

// presets in the order of the help. Bands and rows that a source fixes are taken as they are; elsewhere they are tuned.
var presets = []preset{
	{"paper", "LSHBloom, VLDB 2025: unigrams, T = 0.5, 256 permutations; best for the same document read by different parsers",
		TextFlags{Tokenize: "word", ShingleSize: 1}, TuneFlags{Threshold: 0.5, NumPerm: 256, Tune: "balanced"}},
	{"fineweb", "FineWeb (Penedo et al. 2024), datatrove: word 5-grams, 14 bands of 8",
		TextFlags{Normalize: "fineweb", Tokenize: "word", ShingleSize: 5}, TuneFlags{Bands: 14, Rows: 8}},
	{"text-dedup", "text-dedup's README: word 5-grams, 24 bands of 10",
		TextFlags{Tokenize: "word", ShingleSize: 5}, TuneFlags{Bands: 24, Rows: 10}},
	{"nemo", "NVIDIA NeMo Curator: 24 characters, 20 bands of 13",
		TextFlags{Normalize: "none", Tokenize: "char", ShingleSize: 24}, TuneFlags{Bands: 20, Rows: 13}},
	{"doubri", "Doubri (Okazaki): 5 characters, 40 bands of 20",
		TextFlags{Normalize: "none", Tokenize: "char", ShingleSize: 5}, TuneFlags{Bands: 40, Rows: 20}},
	{"data-juicer", "Data-Juicer: 5 tokens between spaces, 25 bands of 10",
		TextFlags{Tokenize: "whitespace", ShingleSize: 5}, TuneFlags{Bands: 25, Rows: 10}},
	{"marin", "Marin: word 5-grams, 26 bands of 11",
		TextFlags{Tokenize: "word", ShingleSize: 5}, TuneFlags{Bands: 26, Rows: 11}},
	{"lee2021", "Lee et al. 2021, also RefinedWeb: 5 tokens between spaces, 450 bands of 20",
		TextFlags{Tokenize: "whitespace", ShingleSize: 5}, TuneFlags{Bands: 450, Rows: 20}},
}

// defaults are the recipe without a preset, and fill what a preset leaves open.
var defaults = preset{
	text: TextFlags{Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 5},
	tune: TuneFlags{Threshold: 0.85, Tune: "recall", Recall: 0.95, NumPerm: 128},
}

func presetNames() string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.name
	}
	return strings.Join(names, ", ")
}

// presetHelp lists the presets with their sources.
func presetHelp() string {
	var b strings.Builder
	b.WriteString("Presets\n")
	for _, p := range presets {
		fmt.Fprintf(&b, "  %-12s %s\n", p.name, p.source)
	}
	return b.String()
}

// findPreset returns a preset by its name; no name is the preset that leaves everything open.
func findPreset(name string) (preset, error) {
	if name == "" {
		return preset{}, nil
	}
	i := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
	if i < 0 {
		return preset{}, fmt.Errorf("--preset %s is not known: use one of %s", name, presetNames())
	}
	return presets[i], nil
}

// complete fills what the user left alone, first from the preset, then from the defaults.
func (t *TextFlags) complete(p preset) {
	for _, from := range []TextFlags{p.text, defaults.text} {
		fill(&t.Normalize, from.Normalize)
		fill(&t.Tokenize, from.Tokenize)
		fill(&t.ShingleSize, from.ShingleSize)
	}
}

// complete fills what the user left alone, first from the preset, then from the defaults.
func (t *TuneFlags) complete(p preset) {
	if t.Threshold != 0 || t.Tune != "" || t.Recall != 0 || t.NumPerm != 0 {
		p.tune.Bands, p.tune.Rows = 0, 0 // the user wants them tuned
	}
	if t.Bands == 0 && t.Rows == 0 {
		t.Bands, t.Rows = p.tune.Bands, p.tune.Rows
	}
	fill(&t.NumPerm, p.tune.NumPerm)
	fill(&t.NumPerm, t.Bands*t.Rows) // as many slots as the bands use
	for _, from := range []TuneFlags{p.tune, defaults.tune} {
		fill(&t.Threshold, from.Threshold)
		fill(&t.Tune, from.Tune)
		fill(&t.Recall, from.Recall)
		fill(&t.NumPerm, from.NumPerm)
	}
}

// fill sets *to where it is still zero.
func fill[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}
