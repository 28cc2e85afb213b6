package method

import (
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// signaturesOf describes the memory of MinHash signatures.
func signaturesOf(c spec.Method, keys identity.KeyKind) *exact.Kind {
	return exact.KindOfSignatures(exact.Params(c, keys))
}

// ofSignatures completes the description of a memory of signatures. Any shared band makes a
// candidate; the threshold accepts only equal texts.
func (m *storedMemory) ofSignatures(string, *SketchFiles) error {
	params, made, err := m.sketcher()
	if err != nil {
		return err
	}
	verified := spec.Verification{Verify: m.Parameter(identity.VerifyParameter)}
	sets, containment := verified.ComparesSets(), 0.
	if verified.Verify == spec.VerifyContainment {
		containment = 1
	}
	p := signatures.Params{
		NumPerm: params.NumPerm, SlotBits: params.SlotBits, Bands: params.Bands, Rows: params.Rows, Votes: 1,
		Threshold: 1, Sets: sets, Containment: containment,
	}
	m.Kind = exact.KindOfSignatures(p)
	ofText := func() stream.Sketcher { return sketch.Signed{Sketcher: made.Clone()} }
	if sets {
		shingle, _ := strconv.Atoi(m.Parameter(identity.SetShingleParameter)) // absent: that of the signature
		if ofText, err = sketchers.SignedSets(made, shingle); err != nil {
			return err
		}
	}
	err = m.extracted(ofText)
	if err == nil && sets {
		m.NewSketcher = sketchers.Packing(m.NewSketcher, params, p.SetForm())
	}
	return err
}

func pageOfMinHash(c spec.Method, keys identity.KeyKind) Page {
	made := keys.Params
	p := Page{
		Threshold: c.Rule.Threshold, Source: "estimated from votes", Banded: true, Memory: filterParameters(c),
		Parameters: append(parameters("threshold", number(c.Rule.Threshold),
			"a duplicate has", keys.Rule.String(), "permutations", strconv.Itoa(made.NumPerm), "sketch", made.Sketch),
			textParameters(spec.Text{
				Normalize: made.Normalize, Tokenize: made.Tokenize, ShingleSize: made.ShingleSize})...),
	}
	if c.Memory.IsExact() {
		p.Memory = parameters("verify", c.Rule.Verify)
	}
	switch {
	case c.Memory.Kind == spec.MemoryExact && c.Rule.Verify == spec.VerifyText:
		p.Source = "compared exactly"
	case c.Memory.Kind == spec.MemoryExact && c.Rule.Verify == spec.VerifyContainment:
		p.Threshold, p.Source = c.Rule.Containment, "how much of the shorter text is in the other one, compared exactly"
		p.Memory = parameters("verify", c.Rule.Verify, "containment", number(c.Rule.Containment))
	case c.Memory.Kind == spec.MemoryExact:
		p.Source = "estimated from signatures"
	case c.Memory.Kind == spec.MemoryAuto:
		p.Source = "estimated from signatures, and from votes where Bloom filters have judged"
	}
	if n := c.Rule.Verification.Shingle; n > 0 && c.HasSets() {
		p.Memory = append(p.Memory, parameters(identity.SetShingleParameter, strconv.Itoa(n))...)
	}
	return p
}

// minHashSketcher returns a function that makes a sketcher for each worker, for a method that
// compares MinHash signatures, and the kind of its sketches.
func minHashSketcher(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	sketcher, rule, err := sketchers.New(c)
	if err != nil {
		return nil, identity.KeyKind{}, err
	}
	kind := identity.Of(c.Rule.Text.Markup, sketcher.Params(), rule, c.Rule.Threshold)
	if c.HasSets() {
		made, err := sketchers.SignedSets(sketcher, c.Rule.Verification.Shingle)
		return made, kind, err
	}
	return func() stream.Sketcher { return sketchers.ForMemory(c, sketcher.Clone()) }, kind, nil
}
