package method

import (
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
)

// A Page is what the page of a run says about its method.
type Page struct {
	Parameters []bloomlsh.Parameter // that decide what is removed
	Memory     []bloomlsh.Parameter // and what the memory is like
	Threshold  float64              // the least similarity of a duplicate; 0 if there is none
	Source     string               // where similarities come from, in words; empty if there are none
	// Banded says that how likely a pair is caught follows from KeyKind.Rule.
	Banded bool
}

// parameters makes a list of names and values that stand in turns.
func parameters(namesAndValues ...string) (list []bloomlsh.Parameter) {
	for i := 0; i < len(namesAndValues); i += 2 {
		list = append(list, bloomlsh.Parameter{Name: namesAndValues[i], Value: namesAndValues[i+1]})
	}
	return list
}

// number is a value as it is shown.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// textParameters say what a shingle is.
func textParameters(t config.TextFlags) []bloomlsh.Parameter {
	return parameters("normalize", t.Normalize, "tokenize", t.Tokenize, "shingle size", strconv.Itoa(t.ShingleSize))
}

// filterParameters are the parameters of Bloom filters, beside what they were planned for.
func filterParameters(c *config.Filter) []bloomlsh.Parameter {
	return parameters("fp rate", number(c.Index.FPRate))
}

func pageOfParts(c *config.Filter, keys KeyKind) Page {
	if !looksAtParts(c) {
		page := pageOfKeys(c, keys)
		page.Memory = filterParameters(c)
		return page
	}
	p := Page{Parameters: parameters("method", c.Method, "overlap", number(c.Overlap)), Memory: filterParameters(c)}
	if c.PartScale > 1 {
		p.Parameters = append(p.Parameters, parameters("scale", strconv.Itoa(c.PartScale))...)
	}
	if c.IsExact() {
		p.Memory = parameters("verify", c.Verify)
	}
	return p
}

func pageOfFingerprints(c *config.Filter, _ KeyKind) Page {
	f := c.Fingerprint
	p := Page{Threshold: FingerprintParams(c).Similarity(f.Distance)}
	if f.TLSH {
		p.Source = "distances of TLSH: one minus a 300th of each"
		p.Parameters = parameters("sketch", c.Similar.Sketch, "distance", strconv.Itoa(f.Distance),
			"normalize", c.Text.Normalize)
		return p
	}
	p.Source = "cosines, estimated from fingerprints"
	p.Parameters = append(parameters("sketch", c.Similar.Sketch+" of "+strconv.Itoa(f.Bits)+" bits",
		"distance", strconv.Itoa(f.Distance), "weight", f.Weight), textParameters(c.Text)...)
	return p
}

func pageOfVectors(c *config.Filter, keys KeyKind) Page {
	return Page{
		Threshold: c.Similar.Threshold, Source: "the cosine of vectors",
		Parameters: parameters("threshold", number(c.Similar.Threshold), "sketch", c.Similar.Sketch,
			"model", c.Model, "hash of the model", keys.Model.Hash()),
	}
}

func pageOfMinHash(c *config.Filter, keys KeyKind) Page {
	made := keys.Params
	p := Page{
		Threshold: c.Similar.Threshold, Source: "estimated from votes", Banded: true, Memory: filterParameters(c),
		Parameters: append(parameters("threshold", number(c.Similar.Threshold),
			"a duplicate has", keys.Rule.String(), "permutations", strconv.Itoa(made.NumPerm), "sketch", made.Sketch),
			textParameters(config.TextFlags{
				Normalize: made.Normalize, Tokenize: made.Tokenize, ShingleSize: made.ShingleSize})...),
	}
	if c.IsExact() {
		p.Memory = parameters("verify", c.Verify)
	}
	switch {
	case c.Memory == config.MemoryExact && c.Verify == config.VerifyText:
		p.Source = "compared exactly"
	case c.Memory == config.MemoryExact && c.Verify == config.VerifyContainment:
		p.Threshold, p.Source = c.Containment, "how much of the shorter text is in the other one, compared exactly"
		p.Memory = parameters("verify", c.Verify, "containment", number(c.Containment))
	case c.Memory == config.MemoryExact:
		p.Source = "estimated from signatures"
	case c.Memory == config.MemoryAuto:
		p.Source = "estimated from signatures, and from votes where Bloom filters have judged"
	}
	return p
}
