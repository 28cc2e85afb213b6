package method

import (
	"bytes"
	"unicode"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// equalitySketcher makes the sketcher of records that are compared for equality, of their texts or
// the normal forms of their texts.
func equalitySketcher(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	return equalityOfTexts(c, sketchers.Texts{})
}

// equalityOfTexts is equalitySketcher for texts about which more is known.
func equalityOfTexts(c spec.Method, t sketchers.Texts) (func() stream.Sketcher, identity.KeyKind, error) {
	kind, err := partsKind(c)
	forms := c.Rule.Parts.Forms
	if err != nil || !normalizes(c) && forms == nil {
		return func() stream.Sketcher { return overlap.Exact{} }, kind, err
	}
	newNormal := func() *normalForm { return nil }
	if normalizes(c) {
		if _, err := sketch.NewNormalizer(c.Rule.Text.Normalize); err != nil {
			return nil, kind, err
		}
		newNormal = func() *normalForm {
			normal, _ := newNormalForm(c.Rule.Text.Normalize) // the name is right
			return normal
		}
	}
	return func() stream.Sketcher {
		e := normalEqual{normal: newNormal(), isAlone: !t.Several}
		if forms != nil {
			return newEqualURLs(e, forms)
		}
		return &e
	}, kind, nil
}

// normalizes reports whether normal forms are compared instead of texts.
func normalizes(c spec.Method) bool {
	return c.Rule.Text.Normalize != "" && c.Rule.Text.Normalize != "none"
}

// normalEqual is the sketcher of texts that are equal if their normal forms are.
type normalEqual struct {
	overlap.Exact
	normal  *normalForm
	isAlone bool
	key     []byte
}

// Append appends the key of the normal form of a text.
func (e *normalEqual) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	return e.appendOf(dst, text, func(key, text []byte, _ int) []byte { return e.normal.append(key, text) })
}

// appendOf applies normal to each string of a text, and appends the key of the results.
func (e *normalEqual) appendOf(
	dst []uint64, text []byte, normal func(dst, text []byte, field int) []byte,
) (words []uint64, ok bool) {
	if len(text) == 0 {
		return dst, false
	}
	e.key = record.NormalKey(e.key[:0], text, e.isAlone, normal)
	words, ok = e.Exact.Append(dst, e.key)
	if cap(e.key) > sketchers.MaxText {
		e.key = nil
	}
	return words, ok
}

// A normalForm computes the compared form of a string. It owns scratch memory.
type normalForm struct {
	normalizer sketch.Normalizer
	squashes   bool // white space is collapsed, and trimmed at the ends
}

func newNormalForm(name string) (*normalForm, error) {
	n, err := sketch.NewNormalizer(name)
	if err != nil {
		return nil, err
	}
	return &normalForm{normalizer: n, squashes: len(n.Append(nil, []byte("  "))) < 2}, nil
}

// append appends the normal form of a string, or the string itself if that form is empty or white
// space. A nil normalForm leaves every string as it is.
func (f *normalForm) append(dst, text []byte) []byte {
	if f == nil {
		return append(dst, text...)
	}
	before := len(dst)
	dst = f.normalizer.Append(dst, text)
	trimmed := bytes.TrimFunc(dst[before:], unicode.IsSpace)
	switch {
	case len(trimmed) == 0:
		return append(dst[:before], text...)
	case f.squashes:
		return append(dst[:before], trimmed...)
	}
	return dst
}
