package method

import (
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// A Page is what the page of a run says about its method.
type Page struct {
	Parameters []bloomlsh.Parameter // that determine what is removed
	Memory     []bloomlsh.Parameter // that describe the memory
	Threshold  float64              // minimum similarity of a duplicate; 0 without a threshold
	// where similarities come from, in words; empty without similarities
	Source string
	// Banded says that identity.KeyKind.Rule determines the probability of finding a pair.
	Banded bool
}

// parameters makes a list from alternating names and values.
func parameters(namesAndValues ...string) (list []bloomlsh.Parameter) {
	for i := 0; i < len(namesAndValues); i += 2 {
		list = append(list, bloomlsh.Parameter{Name: namesAndValues[i], Value: namesAndValues[i+1]})
	}
	return list
}

// number formats a value.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// textParameters returns the parameters that describe shingles.
func textParameters(t spec.Text) []bloomlsh.Parameter {
	return parameters("normalize", t.Normalize, "tokenize", t.Tokenize, "shingle size", strconv.Itoa(t.ShingleSize))
}

// filterParameters returns the parameters of Bloom filters, except for their planned size.
func filterParameters(c spec.Method) []bloomlsh.Parameter {
	return parameters("fp rate", number(c.Memory.Filters.FPRate))
}

func pageOfParts(c spec.Method, keys identity.KeyKind) Page {
	if !c.Rule.Parts.IsEnabled() {
		page := pageOfKeys(c, keys)
		page.Memory = filterParameters(c)
		return page
	}
	parts := c.Rule.Parts
	p := Page{Parameters: parameters("method", parts.Method, "overlap", number(parts.Overlap))}
	p.Memory = filterParameters(c)
	if parts.Scale > 1 {
		p.Parameters = append(p.Parameters, parameters("scale", strconv.Itoa(parts.Scale))...)
	}
	if c.Memory.IsExact() {
		p.Memory = parameters("verify", c.Rule.Verify)
	}
	return p
}

func pageOfFingerprints(c spec.Method, _ identity.KeyKind) Page {
	f := c.Rule.Fingerprint
	p := Page{Threshold: FingerprintParams(c).Similarity(f.Distance)}
	if f.TLSH {
		p.Source = "distances of TLSH: one minus a 300th of each"
		p.Parameters = parameters("sketch", c.Rule.Sketch, "distance", strconv.Itoa(f.Distance),
			"normalize", c.Rule.Text.Normalize)
		return p
	}
	p.Source = "cosines, estimated from fingerprints"
	p.Parameters = append(parameters("sketch", c.Rule.Sketch+" of "+strconv.Itoa(f.Bits)+" bits",
		"distance", strconv.Itoa(f.Distance), "weight", f.Weight), textParameters(c.Rule.Text)...)
	return p
}

func pageOfVectors(c spec.Method, keys identity.KeyKind) Page {
	return Page{
		Threshold: c.Rule.Threshold, Source: "the cosine of vectors",
		Parameters: parameters("threshold", number(c.Rule.Threshold), "sketch", c.Rule.Sketch,
			"model", c.Rule.Vectors.Model, "hash of the model", keys.Model.Hash()),
	}
}
