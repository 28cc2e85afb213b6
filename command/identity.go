package command

import (
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A keyKind is which band keys may be compared with each other, and how many make a duplicate.
type keyKind struct {
	bands, votes int
	rule         bloomlsh.Banding // of texts that are sketched in this run
	params       sketch.Params    // zero if the keys come from sketch files
	identity     []bloomlsh.Parameter
	model        vectorModel // of vectors; else nil
	failures     *failures   // of these; else nil

	// What sketch files with signatures have beside: how many words for each record, and the
	// threshold that their bands are for.
	words     int
	threshold float64
}

// close closes the model, if there is one.
func (k keyKind) close() error {
	if k.model == nil {
		return nil
	}
	return k.model.Close()
}

// keysOf are those of texts that are taken out of that markup and sketched with these parameters.
func keysOf(markup string, p sketch.Params, rule bloomlsh.Banding) keyKind {
	return keyKind{bands: p.Bands, votes: rule.Votes, rule: rule, params: p, identity: identity(markup, p)}
}

// identity is everything beside the index's own parameters that decides which records resemble each
// other (I5). The fields of a record are not part of it: an index is about texts, and the same text
// may come from records of another shape.
func identity(markup string, p sketch.Params) []bloomlsh.Parameter {
	return []bloomlsh.Parameter{
		{Name: "markup", Value: markup},
		{Name: "normalize", Value: p.Normalize},
		{Name: "tokenize", Value: p.Tokenize},
		{Name: "shingle-size", Value: strconv.Itoa(p.ShingleSize)},
		{Name: "sketch", Value: p.Sketch},
		{Name: "num-perm", Value: strconv.Itoa(p.NumPerm)},
		{Name: seedParameter, Value: seedOf(p)},
		{Name: "rows", Value: strconv.Itoa(p.Rows)},
		{Name: "band-key", Value: p.BandKey},
	}
}
