package method

import (
	"bytes"
	"unicode"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// equalitySketcher makes the sketcher of records that are compared for equality: of their texts, or
// of the normal forms of these.
func equalitySketcher(c spec.Method) (func() stream.Sketcher, KeyKind, error) {
	kind, err := partsKind(c)
	if err != nil || !normalizes(c) {
		return func() stream.Sketcher { return overlap.Exact{} }, kind, err
	}
	if _, err := sketch.NewNormalizer(c.Rule.Text.Normalize); err != nil {
		return nil, kind, err
	}
	made := func(t Texts) func() stream.Sketcher {
		return func() stream.Sketcher {
			normal, _ := newNormalForm(c.Rule.Text.Normalize) // the name is right
			return &normalEqual{normal: normal, isAlone: !t.Several}
		}
	}
	same := kind
	kind.later = func(t Texts) (func() stream.Sketcher, KeyKind) { return made(t), same }
	return made(Texts{}), kind, nil
}

// normalizes reports whether normal forms are compared in place of texts.
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
	if len(text) == 0 {
		return dst, false
	}
	e.key = stream.NormalKey(e.key[:0], text, e.isAlone, e.normal.append)
	words, ok = e.Exact.Append(dst, e.key)
	if cap(e.key) > maxText {
		e.key = nil
	}
	return words, ok
}

// A normalForm is what is compared of a string. It owns scratch memory.
type normalForm struct {
	normalizer sketch.Normalizer
	squashes   bool // runs of white space count as one, and so none at the ends
}

func newNormalForm(name string) (*normalForm, error) {
	n, err := sketch.NewNormalizer(name)
	if err != nil {
		return nil, err
	}
	return &normalForm{normalizer: n, squashes: len(n.Append(nil, []byte("  "))) < 2}, nil
}

// append appends the normal form of a string; of one that has none, or one of white space alone,
// the string itself.
func (f *normalForm) append(dst, text []byte) []byte {
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
