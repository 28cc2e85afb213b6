package method

import (
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/prefixes"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// foundByRarest distinguishes an index of groups whose sketches are sets from one with signatures.
var foundByRarest = bloomlsh.Parameter{Name: "found-by", Value: "rarest"}

// setSketcher returns a function that makes a sketcher of sets for each worker. Long sets have band
// keys, enough to find nearly all pairs at the threshold.
func setSketcher(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	c.Rule.Tuning = spec.Tuning{
		Threshold: c.Rule.Threshold, Tune: lsh.TuneForRecall, Recall: spec.RecallWithSets,
		Profile: lsh.DefaultProfile, NumPerm: spec.SlotsWithSets(c.Rule.Threshold), Votes: 1,
	}
	sketcher, rule, err := sketchers.New(c)
	if err != nil {
		return nil, identity.KeyKind{}, err
	}
	kind := identity.Of(c.Rule.Text.Markup, sketcher.Params(), rule, c.Rule.Threshold)
	kind.Identity = append(kind.Identity, foundByRarest,
		bloomlsh.Parameter{Name: identity.MemoryParameter, Value: identity.MemoryOfSets}, identity.SetsParameter)
	return setsOf(sketcher, kind.Bands), kind, nil
}

// setsOf returns a function that makes sketchers for package prefixes.
func setsOf(s *sketch.Sketcher, bands int) func() stream.Sketcher {
	return func() stream.Sketcher {
		return &setsOfTexts{
			set: sketch.Set{Sketcher: s.Clone()}, keys: s.Clone(), params: prefixes.Params{Bands: bands},
		}
	}
}

// setsOfTexts makes sketches of package prefixes.
type setsOfTexts struct {
	set    sketch.Set
	keys   *sketch.Sketcher
	params prefixes.Params

	hashes []uint64 // scratch: of a set, after their number
	words  []uint64 // scratch: band keys, in two words each
	bands  []uint32 // scratch: 32 bits of each
}

// Append appends the sketch of a text.
func (s *setsOfTexts) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if s.hashes, ok = s.set.Append(s.hashes[:0], text); !ok {
		return dst, false
	}
	hashes := s.hashes[1:]
	if prefixes.IsBanded(len(hashes)) {
		if s.words, ok = s.keys.Append(s.words[:0], text); !ok {
			return dst, false
		}
		s.bands = s.bands[:0]
		for i := range s.params.Bands {
			s.bands = append(s.bands, uint32(memory.LowHalf(s.words[2*i], s.words[2*i+1])>>32))
		}
	}
	dst = s.params.AppendSketch(dst, hashes, s.bands)
	if cap(s.hashes) > sketchers.MostScratch {
		s.hashes = nil
	}
	return dst, true
}

// setsKind describes the memory of sets.
func setsKind(c spec.Method, keys identity.KeyKind) *exact.Kind {
	return exact.KindOfSets(prefixes.Params{
		Threshold: c.Rule.Threshold, Bands: keys.Params.Bands, UnseenOnly: c.Memory.UnseenOnly(),
	})
}

// ofSets completes the description of a memory of sets. Its similarity is the lowest that an index
// can find.
func (m *storedMemory) ofSets(string, *SketchFiles) error {
	params, made, err := m.sketcher()
	if err != nil {
		return err
	}
	m.Kind = exact.KindOfSets(prefixes.Params{Threshold: prefixes.LeastThreshold, Bands: params.Bands})
	return m.extracted(setsOf(made, params.Bands))
}

func pageOfSets(c spec.Method, _ identity.KeyKind) Page {
	return Page{
		Threshold: c.Rule.Threshold, Source: "compared exactly",
		Parameters: append(parameters("threshold", number(c.Rule.Threshold)), textParameters(c.Rule.Text)...),
		Memory:     parameters("verify", c.Rule.Verify),
	}
}
