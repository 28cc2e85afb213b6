package signatures

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Comparison compares records as an Index with sets compares its candidates, for programs that
// find candidates elsewhere. It compares what follows the band keys in a sketch: the packed
// signature, the number of shingles, and the packed set. It is not safe for concurrent use.
type Comparison struct {
	rule
	whole wholeSets
}

var errNoSet = errors.New("this is not a signature and a set of these settings")

// NewComparison returns the comparison of an Index with these parameters, which must have Sets.
func NewComparison(p Params) (*Comparison, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !p.Sets {
		return nil, errors.New("signatures are compared here, not sets")
	}
	return &Comparison{rule: newRule(p)}, nil
}

// Compared returns the part of a sketch that is compared.
func (c *Comparison) Compared(sketch []uint64) []uint64 { return sketch[2*c.params.Bands:] }

// Similarity returns the similarity of two records, and whether it makes the later one a duplicate.
// It is 0 if sizes and signatures rule out that it reaches the threshold. Words that do not come
// from Compared are an error.
func (c *Comparison) Similarity(a, b []uint64) (similarity float64, isDuplicate bool, err error) {
	size := c.params.signatureWords()
	for _, words := range [][]uint64{a, b} {
		if err := c.check(words); err != nil {
			return 0, false, err
		}
	}
	n, m := int(a[size]), int(b[size])
	agree := sketch.PackedAgreement(a[:size], b[:size], c.slotBits) - c.padding
	if agree < c.params.plausible(n, m) || !c.haveVotes(a, b) {
		return 0, false, nil
	}
	if similarity = c.params.similarity(agree); n > 0 && m > 0 {
		common, err := c.whole.common(c.params.SetForm(), n, a[size+1:], m, b[size+1:])
		if err != nil {
			return 0, false, errNoSet
		}
		similarity = c.params.ofCommon(n, m, common)
	}
	return similarity, similarity >= c.params.leastOfSets(), nil
}

// check returns an error unless words are a signature and a set.
func (c *Comparison) check(words []uint64) error {
	size := c.params.signatureWords()
	if len(words) <= size || words[size] > sketch.MaxSet ||
		len(words) != size+1+c.params.SetForm().Words(int(words[size])) {
		return errNoSet
	}
	return nil
}
