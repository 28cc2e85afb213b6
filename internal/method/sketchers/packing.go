package sketchers

import (
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/packedset"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// SignedSets returns a function that makes the sketches of s with sets, whose shingles have that
// many tokens; 0 means as many as those of s.
func SignedSets(s *sketch.Sketcher, shingle int) (func() stream.Sketcher, error) {
	p := s.Params()
	if shingle == 0 || shingle == p.ShingleSize {
		return func() stream.Sketcher { return sketch.SignedSet{Sketcher: s.Clone()} }, nil
	}
	p.ShingleSize = shingle
	verifier, err := With(p)
	return func() stream.Sketcher {
		return sketch.SignedSet{Sketcher: s.Clone(), Verifier: verifier.Clone()}
	}, err
}

// Packing returns sketchers whose sketches of sketch.SignedSet end with a packed set.
func Packing(made func() stream.Sketcher, p sketch.Params, form packedset.Form) func() stream.Sketcher {
	before := sketch.SignedWords(p) + 1
	return func() stream.Sketcher {
		return packer{Sketcher: made(), before: before, form: form}
	}
}

// A packer packs the sets of a sketcher, while its worker has them.
type packer struct {
	stream.Sketcher
	before int // words before a set
	form   packedset.Form
}

// Unwrap returns the sketcher that makes the sets.
func (p packer) Unwrap() stream.Sketcher { return p.Sketcher }

// Append appends the sketch of a text.
func (p packer) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	at := len(dst) + p.before
	if dst, ok = p.Sketcher.Append(dst, text); !ok {
		return dst, false
	}
	return signatures.PackSet(p.form, dst, at), true
}
