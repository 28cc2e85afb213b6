package method

import (
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// MethodParameter is the parameter of an index that names how records are judged, if not by
// similarity.
const MethodParameter = "method"

// partsKind returns the kind of the keys of a method other than similarity. An index of one band
// holds them.
func partsKind(c spec.Method) (kind identity.KeyKind, err error) {
	kind = identity.KeyKind{Banding: identity.OneKey, Identity: append([]bloomlsh.Parameter{
		{Name: MethodParameter, Value: c.Rule.Parts.Method},
	}, identity.Markup(c.Rule.Text.Markup)...)}
	if !c.Rule.Parts.IsEnabled() {
		if normalizes(c) { // texts as they are were the rule before there was another
			kind.Identity = append(kind.Identity, bloomlsh.Parameter{Name: "normalize", Value: c.Rule.Text.Normalize})
		}
		if forms := c.Rule.Parts.Forms; forms != nil {
			kind.Identity = append(kind.Identity, bloomlsh.Parameter{Name: formsParameter, Value: formsOf(forms)})
		}
		if exact.MapsKeysToRecords(c) {
			kind.Identity = append(kind.Identity, keysParameter)
		}
		return kind, nil
	}
	p, err := c.Rule.Parts.Params()
	if err != nil {
		return kind, err
	}
	if p.HasNGrams() {
		kind.Identity = append(kind.Identity, bloomlsh.Parameter{Name: "shingle-size", Value: strconv.Itoa(p.NGram)})
	}
	if p.Tokens != "" {
		kind.Identity = append(kind.Identity, bloomlsh.Parameter{Name: "tokenize", Value: p.Tokens})
	}
	kind.Identity = append(kind.Identity,
		bloomlsh.Parameter{Name: "overlap", Value: strconv.FormatFloat(p.Threshold, 'g', -1, 64)})
	if p.Scale > 1 { // all parts were the rule before there were samples
		kind.Identity = append(kind.Identity, bloomlsh.Parameter{Name: scaleParameter, Value: strconv.Itoa(p.Scale)})
	}
	return kind, nil
}

// partsOfTexts is partSketcher for texts about which more is known.
func partsOfTexts(c spec.Method, t sketchers.Texts) (func() stream.Sketcher, identity.KeyKind, error) {
	if c.Rule.Parts.IsEnabled() {
		return partSketcher(c)
	}
	return equalityOfTexts(c, t)
}

// partSketcher makes the sketcher of a method other than similarity.
func partSketcher(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	if !c.Rule.Parts.IsEnabled() {
		return equalitySketcher(c)
	}
	kind, err := partsKind(c)
	if err != nil {
		return nil, kind, err
	}
	p, err := c.Rule.Parts.Params()
	return func() stream.Sketcher { return overlap.NewSketcher(p) }, kind, err
}

// PartsKept returns the number of parts that are remembered exactly, and their size in bytes.
func (j *Detector) PartsKept() (parts, bytes uint64) { return uint64(j.set.Len()), j.set.Bytes() }

// beginSet opens a memory that remembers parts exactly, without an index.
func beginSet(o *Opening) (*Detector, error) {
	set := overlap.NewSet()
	j := &Detector{set: set}
	return j, j.byParts(o.Method, overlap.Memory{Observe: set.Observe, Query: set.Query})
}

// byParts makes the detector judge records by their parts, which that memory keeps.
func (j *Detector) byParts(c spec.Method, memory overlap.Memory) error {
	p, err := c.Rule.Parts.Params()
	if err != nil {
		return err
	}
	j.Pieces = overlap.NewJudge(p, memory)
	if c.Memory.ReadOnly {
		j.Pieces.QueryOnly()
	}
	j.Judge = j.Pieces.Judge()
	return nil
}
