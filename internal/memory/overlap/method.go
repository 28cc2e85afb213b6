package overlap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// Params say what the parts of a text are, and which share of them makes a duplicate.
type Params struct {
	Method string // one of MethodNames
	NGram  int    // tokens of an n-gram; 0 means the default of the method
	// for bloom-ngrams: TokensChar (the default) or TokensSpace; empty for other methods
	Tokens string
	// share of a record that makes it a duplicate; 0 means the default of the method
	Threshold float64
	// one in this many n-grams of a long text is kept, a power of two; 0 means all
	Scale int
}

// The values of Params.Tokens.
const (
	TokensChar  = "char"       // code points, in n-grams of 1 … NGram of them
	TokensSpace = "whitespace" // words separated by white space
)

// A unit is what a text is divided into. A piece is seen or not as a whole, and may be cut out.
type unit uint8

const (
	ofLines unit = iota // between newlines
	ofText              // all of it
)

// A method is a way to divide texts into parts and to judge by them.
type method struct {
	unit      unit
	ngram     int // 0: a piece is one part
	threshold float64
	sampled   bool                       // a sample of the parts represents all
	byBytes   bool                       // the share of a record is measured in bytes of its pieces instead of parts
	selective bool                       // the parts of a seen piece are not remembered
	newParts  func(p Params) appendParts // nil if newGrams is not
	newGrams  func(p Params) *grams
}

var methods = map[string]method{
	"ccnet": {unit: ofLines, threshold: .2,
		newParts: func(Params) appendParts { return newNormalLine().append }},
	"dolma": {unit: ofLines, threshold: .2, byBytes: true,
		newParts: func(Params) appendParts { return appendParagraph }},
	"dolma-ngram": {unit: ofLines, ngram: 5, threshold: .2, sampled: true,
		newGrams: func(p Params) *grams { return &grams{n: p.NGram, words: sketch.NewSpaceWordHasher(), whole: true} }},
	"dclm": {unit: ofLines, ngram: 5, threshold: .2, sampled: true, selective: true,
		newGrams: func(p Params) *grams { return &grams{n: p.NGram, words: sketch.NewSegmentHasher()} }},
	"bloom-ngrams": {unit: ofText, ngram: 3, threshold: 1,
		newParts: func(p Params) appendParts {
			if p.Tokens == TokensChar {
				return newDistinct(characters{p.NGram}.each).append
			}
			words := &grams{n: p.NGram, words: sketch.NewSpaceWordHasher(), whole: true}
			return newDistinct(words.each).append
		}},
}

// MethodNames returns the values of Params.Method.
func MethodNames() []string { return slices.Sorted(maps.Keys(methods)) }

// SampledMethods returns the methods that may judge by a sample. bloom-ngrams asks whether all
// parts were seen, for which a sample is useless: it hardly ever contains the one that was not.
func SampledMethods() []string {
	return slices.DeleteFunc(MethodNames(), func(name string) bool { return !methods[name].sampled })
}

// maxNGram bounds the memory for one n-gram.
const maxNGram = 1000

// Complete fills in the defaults of the method, or returns an error if the parameters are invalid.
func (p Params) Complete() (Params, error) {
	m, ok := methods[p.Method]
	if !ok {
		return p, fmt.Errorf("method %q is not known: use one of %s", p.Method, strings.Join(MethodNames(), ", "))
	}
	p.Threshold = cmp.Or(p.Threshold, m.threshold)
	p.NGram = cmp.Or(p.NGram, m.ngram)
	if p.Method == "bloom-ngrams" && p.Tokens == "" {
		p.Tokens = TokensChar
	}
	p.Scale = max(p.Scale, 1)
	switch {
	case p.Scale > maxScale || p.Scale&(p.Scale-1) != 0:
		return p, fmt.Errorf("a scale of %d is no power of two up to %d", p.Scale, maxScale)
	case p.Scale > 1 && !m.sampled:
		return p, fmt.Errorf("%s takes no sample of its parts: use %s", p.Method,
			strings.Join(SampledMethods(), " or "))
	case !(p.Threshold > 0 && p.Threshold <= 1):
		return p, fmt.Errorf("a share of %v is not above 0 and at most 1", p.Threshold)
	case m.ngram == 0 && p.NGram != 0:
		return p, fmt.Errorf("%s has no n-grams", p.Method)
	case p.NGram < 0 || p.NGram > maxNGram:
		return p, fmt.Errorf("an n-gram of %d tokens is not between 1 and %d", p.NGram, maxNGram)
	case p.Method != "bloom-ngrams" && p.Tokens != "":
		return p, fmt.Errorf("the tokens of %s cannot be chosen", p.Method)
	case p.Method == "bloom-ngrams" && p.Tokens != TokensChar && p.Tokens != TokensSpace:
		return p, fmt.Errorf("tokens %q are neither %s nor %s", p.Tokens, TokensChar, TokensSpace)
	}
	return p, nil
}

// HasPieces reports whether the method divides texts into pieces, which can be cut out.
func (p Params) HasPieces() bool { return methods[p.Method].unit == ofLines }

// HasNGrams reports whether parts are n-grams, which are numerous in a text.
func (p Params) HasNGrams() bool { return methods[p.Method].ngram > 0 }

// PartsPerRecord returns the approximate number of parts of a text of 2 KB, for plans without
// better information.
func (p Params) PartsPerRecord() int {
	switch {
	case p.Tokens == TokensChar:
		return 500 * p.NGram
	case p.HasNGrams():
		const usual = 400
		return usual >> levelOf(usual, p.Scale)
	}
	return 20
}
