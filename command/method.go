package command

import (
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/chinese"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
	"github.com/mithril-stream/mithril-stream/stream"
)

// sketcherOf returns what makes a sketcher for each worker, and of which kind its band keys are.
func sketcherOf(c *config.Filter) (func() stream.Sketcher, keyKind, error) {
	sketcher, rule, err := newSketcher(c)
	if err != nil {
		return nil, keyKind{}, err
	}
	name := c.Text.Markup
	if _, err := markup.New(name); err != nil {
		return nil, keyKind{}, err
	}
	kind := keysOf(name, sketcher.Params(), rule)
	if name == "none" {
		return func() stream.Sketcher { return sketchOf(c, sketcher.Clone()) }, kind, nil
	}
	return func() stream.Sketcher {
		extractor, _ := markup.New(name) // the name is right
		return &extracting{extractor: extractor, Sketcher: sketchOf(c, sketcher.Clone())}
	}, kind, nil
}

// extracting is a sketcher of the text that is taken out of markup.
type extracting struct {
	extractor markup.Extractor
	stream.Sketcher
	text []byte
}

// maxText bounds the memory that is kept from one text to the next: enough for a book.
const maxText = 4 << 20

func (e *extracting) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	e.text = e.extractor.Append(e.text[:0], text)
	words, ok = e.Sketcher.Append(dst, e.text)
	if cap(e.text) > maxText {
		e.text = nil
	}
	return words, ok
}

// newSketcher also returns the rule that its band keys are for, tuned where the user did not fix
// it.
func newSketcher(c *config.Filter) (sketcher *sketch.Sketcher, rule bloomlsh.Banding, err error) {
	s := c.Similar
	if rule, err = s.Banding(); err != nil {
		return nil, rule, err
	}
	params := sketch.Params{
		Normalize: c.Text.Normalize, Tokenize: c.Text.Tokenize, ShingleSize: c.Text.ShingleSize,
		Sketch: s.Sketch, NumPerm: rule.NumPerm, Seed: s.Seed, Bands: rule.Bands, Rows: rule.Rows, BandKey: s.BandKey,
	}
	if params.Tokenize != chineseWords {
		sketcher, err = sketch.New(params)
		return sketcher, rule, err
	}
	dictionary, err := chinese.Load()
	if err != nil {
		return nil, rule, err
	}
	sketcher, err = sketch.NewWith(params, dictionary.Tokenizer)
	return sketcher, rule, err
}

// chineseWords is the tokeniser whose dictionary is loaded only when it is asked for.
const chineseWords = "chinese"
