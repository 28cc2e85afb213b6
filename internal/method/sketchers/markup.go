package sketchers

import (
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
	"github.com/mithril-stream/mithril-stream/stream"
)

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
		if cap(kept) > MaxText {
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

// An ExamineExtract examines what was extracted from a page. Both are valid until it returns. It is
// called concurrently.
type ExamineExtract func(extract, page []byte)

// WatchExtracts returns a function that makes sketchers like made, and has examine see what they
// extract from pages.
func WatchExtracts(made func() stream.Sketcher, examine ExamineExtract) func() stream.Sketcher {
	return func() stream.Sketcher {
		sketcher := made()
		if e, ok := stream.Ability[*extracting](sketcher); ok {
			e.examine = examine
		}
		return sketcher
	}
}

// MaxText bounds the memory that is kept from one text to the next: enough for a book.
const MaxText = 4 << 20

// Unwrap returns the sketcher of the extracted text.
func (e *extracting) Unwrap() stream.Sketcher { return e.Sketcher }

func (e *extracting) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	e.text = e.extractor(e.text[:0], text)
	if e.examine != nil && len(e.text) > 0 {
		e.examine(e.text, text)
	}
	words, ok = e.Sketcher.Append(dst, e.text)
	if cap(e.text) > MaxText {
		e.text = nil
	}
	return words, ok
}
