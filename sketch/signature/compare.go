package signature

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

const tlshWords = tlsh.Words

// Similarity returns the similarity of two texts, up to 1: the Jaccard similarity estimated by
// MinHash slots of 8 bits, the cosine estimated by fingerprints, one minus a 300th of the TLSH
// distance but at least 0, or the cosine of vectors. The error is ErrUnlike if they were not made
// in the same way.
func Similarity(a, b *Signature) (float64, error) {
	if a.Kind != b.Kind || a.Parameters != b.Parameters || a.Model != b.Model || a.Size != b.Size {
		return 0, fmt.Errorf("%w: %s and %s", ErrUnlike, a.about(), b.about())
	}
	for _, s := range []*Signature{a, b} {
		if err := s.check(); err != nil {
			return 0, err
		}
	}
	switch a.Kind {
	case MinHash:
		return sketch.EstimatePacked(a.Words, b.Words, a.Size, 8), nil
	case SimHash:
		return simhash.Cosine(simhash.Distance(a.Words, b.Words), a.Size), nil
	case TLSH:
		return tlsh.Similarity(tlsh.Distance(tlsh.FromWords(a.Words), tlsh.FromWords(b.Words))), nil
	}
	return rows.Cosine(a.Words, b.Words), nil
}

// about describes how a signature was made.
func (s *Signature) about() string {
	of := fmt.Sprintf("%s of %d, parameters %016x", s.Kind, s.Size, s.Parameters)
	if s.Model != "" {
		of += ", model " + s.Model
	}
	return of
}
