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
	same   SimilarFlags
}

// presets in the order of the help. Bands and rows that a source fixes are taken as they are; elsewhere they are tuned.
var presets = []preset{
	{"paper", "LSHBloom, VLDB 2025: unigrams, T = 0.5, 256 permutations; best for the same document read by different parsers",
		TextFlags{Tokenize: "word", ShingleSize: 1}, SimilarFlags{Threshold: 0.5, NumPerm: 256, Tune: "balanced"}},
	{"fineweb", "FineWeb (Penedo et al. 2024), datatrove: word 5-grams, 14 bands of 8",
		TextFlags{Tokenize: "word", ShingleSize: 5}, SimilarFlags{Bands: 14, Rows: 8}},
	{"text-dedup", "text-dedup's README: word 5-grams, 24 bands of 10",
		TextFlags{Tokenize: "word", ShingleSize: 5}, SimilarFlags{Bands: 24, Rows: 10}},
	{"nemo", "NVIDIA NeMo Curator: 24 characters, 20 bands of 13",
		TextFlags{Normalize: "none", Tokenize: "char", ShingleSize: 24}, SimilarFlags{Bands: 20, Rows: 13}},
	{"doubri", "Doubri (Okazaki): 5 characters, 40 bands of 20",
		TextFlags{Normalize: "none", Tokenize: "char", ShingleSize: 5}, SimilarFlags{Bands: 40, Rows: 20}},
	{"data-juicer", "Data-Juicer: 5 tokens between spaces, 25 bands of 10",
		TextFlags{Tokenize: "whitespace", ShingleSize: 5}, SimilarFlags{Bands: 25, Rows: 10}},
	{"marin", "Marin: word 5-grams, 26 bands of 11",
		TextFlags{Tokenize: "word", ShingleSize: 5}, SimilarFlags{Bands: 26, Rows: 11}},
	{"lee2021", "Lee et al. 2021, also RefinedWeb: 5 tokens between spaces, 450 bands of 20",
		TextFlags{Tokenize: "whitespace", ShingleSize: 5}, SimilarFlags{Bands: 450, Rows: 20}},
}

// defaults are the recipe without a preset, and fill what a preset leaves open.
var defaults = preset{
	text: TextFlags{Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 5},
	same: SimilarFlags{Threshold: 0.85, Tune: "recall", Recall: 0.95, NumPerm: 128, Sketch: "fss"},
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

// applyPreset fills what the user left alone, first from the preset, then from the defaults.
func (f *FilterFlags) applyPreset() error {
	if f.Preset != "" {
		i := slices.IndexFunc(presets, func(p preset) bool { return p.name == f.Preset })
		if i < 0 {
			return fmt.Errorf("--preset %s is not known: use one of %s", f.Preset, presetNames())
		}
		recipe := presets[i]
		if f.Threshold != 0 || f.Tune != "" || f.Recall != 0 || f.NumPerm != 0 {
			recipe.same.Bands, recipe.same.Rows = 0, 0 // the user wants them tuned
		}
		f.fill(recipe)
	}
	if f.NumPerm == 0 {
		f.NumPerm = f.Bands * f.Rows // as many slots as the bands use
	}
	f.fill(defaults)
	return nil
}

func (f *FilterFlags) fill(p preset) {
	fill(&f.Normalize, p.text.Normalize)
	fill(&f.Tokenize, p.text.Tokenize)
	fill(&f.ShingleSize, p.text.ShingleSize)
	fill(&f.Threshold, p.same.Threshold)
	fill(&f.Tune, p.same.Tune)
	fill(&f.Recall, p.same.Recall)
	fill(&f.NumPerm, p.same.NumPerm)
	fill(&f.Sketch, p.same.Sketch)
	if f.Bands == 0 && f.Rows == 0 {
		f.Bands, f.Rows = p.same.Bands, p.same.Rows
	}
}

// fill sets *to where it is still zero.
func fill[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}
