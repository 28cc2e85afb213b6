package method

import (
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// SketcherOf returns a function that makes a sketcher for each worker, and the kind of its keys.
func SketcherOf(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	return sketchers.Complete(For(c).sketcher, c)
}

// SketcherOfTexts is SketcherOf for texts about which more is known. changes is false if that makes
// no difference.
func SketcherOfTexts(c spec.Method, t sketchers.Texts) (
	made func() stream.Sketcher, kind identity.KeyKind, changes bool, err error,
) {
	m := For(c)
	if m.ofTexts == nil || c.Rule.Vectors.Model != "" {
		return nil, kind, false, nil
	}
	made, kind, err = sketchers.Complete(func(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
		return m.ofTexts(c, t)
	}, c)
	return made, kind, true, err
}
