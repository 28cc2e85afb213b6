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
	sketcher, err := newSketcher(c)
	if err != nil {
		return nil, keyKind{}, err
	}
	name := c.Text.Markup
	if _, err := markup.New(name); err != nil {
		return nil, keyKind{}, err
	}
	kind := keysOf(name, sketcher.Params())
	return func() stream.Sketcher {
		s, _ := extractedFrom(name, sketchOf(c, sketcher.Clone())) // the name is right
		return s
	}, kind, nil
}

// extractedFrom returns the sketcher of the text that is taken out of that markup.
func extractedFrom(name string, s stream.Sketcher) (stream.Sketcher, error) {
	if name == "none" {
		return s, nil
	}
	extractor, err := markup.New(name)
	return &extracting{extractor: extractor, Sketcher: s}, err
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

// newSketcher tunes bands and rows where the user did not fix them.
func newSketcher(c *config.Filter) (*sketch.Sketcher, error) {
	s := c.Similar
	bands, rows, err := tune(s.TuneFlags)
	if err != nil {
		return nil, err
	}
	params := sketch.Params{
		Normalize: c.Text.Normalize, Tokenize: c.Text.Tokenize, ShingleSize: c.Text.ShingleSize,
		Sketch: s.Sketch, NumPerm: s.NumPerm, Seed: s.Seed, Bands: bands, Rows: rows, BandKey: s.BandKey,
	}
	return sketcherWith(params)
}

// sketcherWith loads the dictionary, if the parameters ask for it.
func sketcherWith(params sketch.Params) (*sketch.Sketcher, error) {
	if params.Tokenize != chineseWords {
		return sketch.New(params)
	}
	dictionary, err := chinese.Load()
	if err != nil {
		return nil, err
	}
	return sketch.NewWith(params, dictionary.Tokenizer)
}

// chineseWords is the tokeniser whose dictionary is loaded only when it is asked for.
const chineseWords = "chinese"

func tune(t config.TuneFlags) (bands, rows int, err error) {
	switch {
	case t.Bands > 0:
		return t.Bands, t.Rows, nil
	case t.Tune == "balanced":
		return bloomlsh.TuneBalanced(t.Threshold, t.NumPerm)
	}
	return bloomlsh.TuneRecall(t.Threshold, t.Recall, t.NumPerm)
}
