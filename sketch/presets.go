package sketch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Recipe is a set of Params with its source.
type Recipe struct {
	Name   string
	Source string // who published it, and what it fixes
	Params Params

	// Votes is the number of the Bands keys of a record that must have been seen to make it a
	// duplicate. It is one in all published recipes.
	Votes int

	Threshold float64 // Jaccard similarity that the source aims at; 0 if it names none
	// Tune is how Bands, Rows and Votes follow from Threshold and NumPerm: a method of
	// lsh.Tune. It is empty if the source fixes them.
	Tune string

	// Exact says that by default a run remembers which record it has seen, and not only that it
	// has.
	Exact bool

	// Lines says that by default a record is a line of text, unless its file name or a flag says
	// otherwise.
	Lines bool

	Seen Seen
}

// Seen says how a recipe remembers band keys. Its zero value leaves that to the program.
type Seen struct {
	Filter   string  // a kind of filter, as in bloomlsh.Params
	FPRate   float64 // of a full index
	Remember string  // all or unseen: which records later ones are compared with
}

// defaultRecipe is the source of Default.
var defaultRecipe = Recipe{
	Source: "this program",
	Params: Params{
		Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 5,
		Sketch: "fss", NumPerm: 256, Seed: 1, Bands: 32, Rows: 8, BandKey: "xxh3",
	},
	Votes: DefaultVotes, Threshold: 0.85, Tune: "f2",
}

// Default returns the default Params of the program, for the rule that a record is a duplicate if
// DefaultVotes of its band keys were seen.
func Default() Params { return defaultRecipe.Params }

// DefaultVotes is the number of band keys of Default that make a duplicate.
const DefaultVotes = 8

// presets in the order of PresetNames. What a source does not specify is as in Default. Hash
// functions are ours, since they do not affect the verdicts, unless they are the point of the
// source.
var presets = []Recipe{
	{
		Name: "lshbloom",
		Source: "LSHBloom (Khan et al., arXiv:2411.04257), the paper's own system, as its reference implementation " +
			"in datasketch 1.9 decides: words between spaces, T = 0.5, 256 permutations, one textbook Bloom filter a " +
			"band, whose keys are sums; only records that were kept are remembered, where the paper's text " +
			"remembers all, and the error rate holds for the whole index, where the code has one for each band",
		Params: Params{
			Normalize: "none", Tokenize: "whitespace", ShingleSize: 1,
			Sketch: "datasketch", NumPerm: 256, Seed: 1, Bands: 42, Rows: 6, BandKey: "sum",
		},
		Threshold: 0.5, Tune: "balanced", Seen: Seen{Filter: "classic", FPRate: 1e-5, Remember: "unseen"},
	},
	{
		Name: "paper",
		Source: "the best setting of the LSHBloom paper (VLDB 2025) with this program's normalization, hash " +
			"functions and filters: unigrams, T = 0.5, 256 permutations; best for the same document read by " +
			"different parsers",
		Params: with(Params{ShingleSize: 1, NumPerm: 256, Bands: 42, Rows: 6}), Threshold: 0.5, Tune: "balanced",
	},
	{
		Name:   "fineweb",
		Source: "FineWeb (Penedo et al. 2024), datatrove: word 5-grams, 14 bands of 8",
		Params: with(Params{Normalize: "fineweb", NumPerm: 112, Bands: 14, Rows: 8}), Threshold: 0.75,
	},
	{
		Name:   "fineweb2",
		Source: "FineWeb2 (github.com/huggingface/fineweb-2): as fineweb, but for all languages",
		Params: with(Params{Normalize: "fineweb", NumPerm: 112, Bands: 14, Rows: 8}), Threshold: 0.75,
	},
	{
		Name:   "text-dedup",
		Source: "text-dedup's README: word 5-grams, T = 0.7, 24 bands of 10",
		Params: with(Params{NumPerm: 240, Bands: 24, Rows: 10}), Threshold: 0.7, Tune: "balanced",
	},
	{
		Name:      "bigcode",
		Source:    "The Stack (github.com/bigcode-project/bigcode-analysis): words, T = 0.85, 256 permutations",
		Params:    with(Params{Normalize: "none", ShingleSize: 1, NumPerm: 256, Bands: 13, Rows: 19}),
		Threshold: 0.85, Tune: "balanced",
	},
	{
		Name: "starcoder",
		Source: "StarCoder and The Stack v2 (github.com/bigcode-project/bigcode-dataset): word 5-grams, " +
			"T = 0.7, 256 permutations",
		Params: with(Params{Normalize: "none", NumPerm: 256, Bands: 25, Rows: 10}), Threshold: 0.7, Tune: "balanced",
	},
	{
		Name: "redpajama",
		Source: "RedPajama-V2 (github.com/togethercomputer/RedPajama-Data): 13 words, 128 permutations, " +
			"T = 0.8, the third of its four levels",
		Params: with(Params{
			Normalize: "nfc,fold,strip-punctuation", Tokenize: "whitespace", ShingleSize: 13,
			NumPerm: 128, Bands: 9, Rows: 13,
		}),
		Threshold: 0.8, Tune: "balanced",
	},
	{
		Name:   "pile",
		Source: "The Pile, Pile-CC (github.com/EleutherAI/the-pile): word 5-grams, T = 0.5, 10 permutations",
		Params: with(Params{Normalize: "none", NumPerm: 10, Bands: 3, Rows: 3}), Threshold: 0.5, Tune: "balanced",
	},
	{
		Name: "gopher",
		Source: "Gopher's MassiveText (Rae et al. 2021, appendix A.1): 13 words, T = 0.8; " +
			"permutations and bands, of which it says nothing, as --recall 0.95 tunes them",
		Params:    with(Params{ShingleSize: 13, NumPerm: 256, Bands: 28, Rows: 9}),
		Threshold: 0.8, Tune: "recall",
	},
	{
		Name:   "nemo",
		Source: "NVIDIA NeMo Curator: 24 characters, 20 bands of 13",
		Params: with(Params{Normalize: "none", Tokenize: "char", ShingleSize: 24, NumPerm: 260, Bands: 20, Rows: 13}),
	},
	{
		Name:   "doubri",
		Source: "Doubri (Okazaki): 5 characters, 40 bands of 20, its MurmurHash3 with the seeds 0 to 799",
		Params: Params{
			Normalize: "none", Tokenize: "char", ShingleSize: 5,
			Sketch: "murmur3", NumPerm: 800, Seed: 0, Bands: 40, Rows: 20, BandKey: "xxh3",
		},
		Threshold: 0.9,
	},
	{
		Name:      "data-juicer",
		Source:    "Data-Juicer: 5 tokens between spaces, T = 0.7, 256 permutations",
		Params:    with(Params{Tokenize: "whitespace", NumPerm: 256, Bands: 25, Rows: 10}),
		Threshold: 0.7, Tune: "balanced",
	},
	{
		Name:   "marin",
		Source: "Marin: word 5-grams, 26 bands of 11",
		Params: with(Params{NumPerm: 286, Bands: 26, Rows: 11}),
	},
	{
		Name:   "lee2021",
		Source: "Lee et al. 2021, also RefinedWeb: 5 tokens between spaces, 450 bands of 20",
		Params: with(Params{Tokenize: "whitespace", NumPerm: 9000, Bands: 450, Rows: 20}), Threshold: 0.8,
	},
	{
		Name: "logs",
		Source: "this program: lines of logs, whose numbers, addresses, times and paths may vary, and no word; up to " +
			"1,000 words in a row, T = 1, 4 of 4 bands of 8; docs/recipes/logs.md",
		Params: with(Params{Normalize: "nfkc-fold,log-variables", ShingleSize: 1000, NumPerm: 32, Bands: 4, Rows: 8}),
		Votes:  4, Threshold: 1, Lines: true,
	},
	{
		Name: "passages",
		Source: "this program: short texts, such as passages of documents, titles and questions, cut or with other " +
			"words in them; single words, T = 0.7, 21 of 96 bands of 4; docs/choosing.md",
		Params: with(Params{Tokenize: "word-grams", ShingleSize: 1, NumPerm: 384, Bands: 96, Rows: 4}),
		Votes:  21, Threshold: 0.7, Exact: true,
	},
}

// with returns the default Params, overridden by the fields of p that are not zero.
func with(p Params) Params {
	d := Default()
	d.Normalize = cmp.Or(p.Normalize, d.Normalize)
	d.Tokenize = cmp.Or(p.Tokenize, d.Tokenize)
	d.ShingleSize = cmp.Or(p.ShingleSize, d.ShingleSize)
	d.NumPerm = cmp.Or(p.NumPerm, d.NumPerm)
	d.Bands = cmp.Or(p.Bands, d.Bands)
	d.Rows = cmp.Or(p.Rows, d.Rows)
	return d
}

// Preset returns the recipe with a name from PresetNames. The empty name means the recipe of
// Default. The error lists the valid names.
func Preset(name string) (Recipe, error) {
	if name == "" {
		return defaultRecipe, nil
	}
	i := slices.IndexFunc(presets, func(r Recipe) bool { return r.Name == name })
	if i < 0 {
		return Recipe{}, fmt.Errorf("preset %s is not known: use one of %s", name, strings.Join(PresetNames(), ", "))
	}
	preset := presets[i]
	preset.Votes = max(1, preset.Votes)
	return preset, nil
}

// PresetNames lists the names of the presets, the most common first.
func PresetNames() []string {
	names := make([]string, len(presets))
	for i, r := range presets {
		names[i] = r.Name
	}
	return names
}
