package sketchers

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/chinese"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Texts is what is known of the texts of a run once its inputs have been looked at.
type Texts struct {
	Several bool // a record may have several, which are compared one by one
	Dims    int  // of the vectors that records have
}

// A Maker returns a function that makes a sketcher for each worker, for texts without markup, and
// the kind of its sketches.
type Maker func(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error)

// Complete completes sketchers of texts without markup.
func Complete(of Maker, c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	made, kind, err := unconfined(of, c)
	if err != nil {
		return nil, kind, err
	}
	if made, kind = confine(c, made, kind); c.HasSets() && !c.FindsByRarest() {
		made = Packing(made, kind.Params, identity.SetFormOf(c.Rule.Verification))
	}
	return made, kind, err
}

// unconfined is Complete whatever value records must have in common.
func unconfined(of Maker, c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	name := c.Rule.Text.Markup
	if _, err := markup.New(name); err != nil {
		return nil, identity.KeyKind{}, err
	}
	ofText, kind, err := of(c)
	if err != nil {
		return nil, identity.KeyKind{}, err
	}
	if c.Rule.Parts.Method == "" && !c.Rule.ByVectors() && c.Rule.Sketch != spec.SketchTLSH {
		made, err := OfText(c.Rule.Text.Markup, c.Rule.Text.Normalize, c.Rule.Text.Tokenize, ofText)
		return made, kind, err
	}
	made, err := FromMarkup(name, ofText)
	return made, kind, err
}

// OfText returns what makes sketchers of the texts that are taken out of that markup, where those
// whose normal form is empty are compared by their bytes.
func OfText(markup, normalize, tokenize string, ofText func() stream.Sketcher) (func() stream.Sketcher, error) {
	if _, err := sketch.NewSymbols(normalize, tokenize); err != nil {
		return nil, err
	}
	return FromMarkup(markup, func() stream.Sketcher {
		symbols, _ := sketch.NewSymbols(normalize, tokenize) // the name is right
		return sketch.BySymbols{Of: ofText(), Symbols: symbols}
	})
}

// NotOfShingles returns the error of a command that compares sets of shingles, and was asked for
// another sketch.
func NotOfShingles(name string) error {
	return fmt.Errorf("--sketch %s is for the filter and groups: this command compares sets of shingles", name)
}

// New also returns the rule that its band keys are for, tuned where the user did not fix
// it.
func New(c spec.Method) (sketcher *sketch.Sketcher, rule lsh.Banding, err error) {
	s := c.Rule
	if slices.Contains(spec.OtherSketches, s.Sketch) {
		return nil, rule, NotOfShingles(s.Sketch)
	}
	if rule, err = s.Banding(); err != nil {
		return nil, rule, err
	}
	secret, err := identity.SecretFor(s.Seed, c.Memory)
	if err != nil {
		return nil, rule, err
	}
	params := sketch.Params{
		Normalize: c.Rule.Text.Normalize, Tokenize: c.Rule.Text.Tokenize, ShingleSize: c.Rule.Text.ShingleSize,
		Sketch: s.Sketch, NumPerm: rule.NumPerm, Seed: s.Seed.Number, Secret: secret,
		Bands: rule.Bands, Rows: rule.Rows, BandKey: s.BandKey,
	}
	switch {
	case c.IsBanded():
		params.SlotBits = 8
	case c.HasSets():
		params.SlotBits = signatures.SlotBitsWithSets(rule.NumPerm)
	}
	sketcher, err = With(params)
	return sketcher, rule, err
}

// With also loads the dictionary, if the parameters need it.
func With(params sketch.Params) (*sketch.Sketcher, error) {
	if params.Tokenize != chineseWords {
		return sketch.New(params)
	}
	dictionary, err := chinese.Load()
	if err != nil {
		return nil, err
	}
	return sketch.NewWith(params, dictionary.Tokenizer)
}

// chineseWords is the tokenizer with a dictionary, which is loaded on first use.
const chineseWords = "chinese"

// ForMemory returns how texts are sketched without their sets; for the exact memory, with
// signatures.
func ForMemory(c spec.Method, s *sketch.Sketcher) stream.Sketcher {
	if c.Memory.IsExact() || c.Memory.Signatures {
		return sketch.Signed{Sketcher: s}
	}
	return s
}
