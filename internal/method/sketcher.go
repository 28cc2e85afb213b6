package method

import (
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/chinese"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
	"github.com/mithril-stream/mithril-stream/stream"
)

// SketcherOf returns a function that makes a sketcher for each worker, and the kind of its keys.
func SketcherOf(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	return sketcherBy(For(c).sketcher, c)
}

// Texts is what is known of the texts of a run once its inputs have been looked at.
type Texts struct {
	Several bool // a record may have several, which are compared one by one
	Dims    int  // of the vectors that records have
}

// SketcherOfTexts is SketcherOf for such texts; changes is false if it is no other one for them.
func SketcherOfTexts(c spec.Method, t Texts) (
	made func() stream.Sketcher, kind identity.KeyKind, changes bool, err error,
) {
	m := For(c)
	if m.ofTexts == nil || c.Rule.Vectors.Model != "" {
		return nil, kind, false, nil
	}
	made, kind, err = sketcherBy(func(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
		return m.ofTexts(c, t)
	}, c)
	return made, kind, true, err
}

// A sketcherOf is Method.sketcher.
type sketcherOf func(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error)

// sketcherBy completes sketchers of texts without markup.
func sketcherBy(of sketcherOf, c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	made, kind, err := unconfined(of, c)
	if err != nil {
		return nil, kind, err
	}
	if made, kind = confine(c, made, kind); c.HasSets() && !c.FindsByRarest() {
		made = packing(made, kind.Params, identity.SetFormOf(c.Rule.Verification))
	}
	return made, kind, err
}

// unconfined is sketcherBy whatever value records must have in common.
func unconfined(of sketcherOf, c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
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

// FromMarkup returns a function that makes sketchers of the texts extracted from that markup.
func FromMarkup(name string, ofText func() stream.Sketcher) (func() stream.Sketcher, error) {
	if name == "none" {
		return ofText, nil
	}
	if _, err := markup.New(name); err != nil {
		return nil, err
	}
	return func() stream.Sketcher {
		extractor, _ := markup.New(name) // the name is right
		return &extracting{extractor: extractor, Sketcher: ofText()}
	}, nil
}

// TextOf returns a function that extracts the compared text from a record's text, which may have
// markup. Its result is valid until the next call.
func TextOf(c spec.Method) (func(text []byte) []byte, error) {
	extractor, err := markup.New(c.Rule.Text.Markup)
	if err != nil || c.Rule.Text.Markup == "none" {
		return func(text []byte) []byte { return text }, err
	}
	var kept []byte
	return func(text []byte) []byte {
		kept = extractor(kept[:0], text)
		extracted := kept
		if cap(kept) > maxText {
			kept = nil
		}
		return extracted
	}, nil
}

// ComparedText is TextOf with what normalization makes of the text, if that does more than the
// default.
func ComparedText(c spec.Method) (func(text []byte) []byte, error) {
	textOf, err := TextOf(c)
	name := c.Rule.Text.Normalize
	if err != nil || name == "" || name == "none" || name == "nfkc-fold" {
		return textOf, err
	}
	normalizer, err := sketch.NewNormalizer(name)
	if err != nil {
		return nil, err
	}
	var kept []byte
	return func(text []byte) []byte {
		kept = normalizer.Append(kept[:0], textOf(text))
		return kept
	}, nil
}

// VisibleText returns all text of a page that a reader sees.
func VisibleText(page []byte) []byte { return markup.Visible(nil, page) }

// extracting is a sketcher of the text that is extracted from markup.
type extracting struct {
	extractor markup.Extractor
	stream.Sketcher
	text    []byte
	examine ExamineExtract // may be nil
}

// An ExamineExtract examines what was extracted from a page, and may ask for all visible text of
// the page. Both are valid until it returns. It is called concurrently.
type ExamineExtract func(extract []byte, visible func() []byte)

// WatchExtracts returns a function that makes sketchers like made, and has examine see the main
// content that they extract from pages.
func WatchExtracts(made func() stream.Sketcher, examine ExamineExtract) func() stream.Sketcher {
	return func() stream.Sketcher {
		sketcher := made()
		if e, ok := stream.Ability[*extracting](sketcher); ok {
			e.examine = examine
		}
		return sketcher
	}
}

// maxText bounds the memory that is kept from one text to the next: enough for a book.
const maxText = 4 << 20

// Unwrap returns the sketcher of the extracted text.
func (e *extracting) Unwrap() stream.Sketcher { return e.Sketcher }

func (e *extracting) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	e.text = e.extractor(e.text[:0], text)
	if e.examine != nil && len(e.text) > 0 {
		e.examine(e.text, func() []byte { return VisibleText(text) })
	}
	words, ok = e.Sketcher.Append(dst, e.text)
	if cap(e.text) > maxText {
		e.text = nil
	}
	return words, ok
}

// NewSketcher also returns the rule that its band keys are for, tuned where the user did not fix
// it.
func NewSketcher(c spec.Method) (sketcher *sketch.Sketcher, rule lsh.Banding, err error) {
	s := c.Rule
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
	sketcher, err = SketcherWith(params)
	return sketcher, rule, err
}

// SketcherWith also loads the dictionary, if the parameters need it.
func SketcherWith(params sketch.Params) (*sketch.Sketcher, error) {
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

// sketchOf returns how texts are sketched without their sets; for the exact memory, with
// signatures.
func sketchOf(c spec.Method, s *sketch.Sketcher) stream.Sketcher {
	if c.Memory.IsExact() || c.Memory.Signatures {
		return sketch.Signed{Sketcher: s}
	}
	return s
}
