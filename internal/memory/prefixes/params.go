package prefixes

import (
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/packedset"
	"github.com/mithril-stream/mithril-stream/internal/postings"
)

// Params configures an Index.
type Params struct {
	// Threshold is the minimum Jaccard similarity of a duplicate, from LeastThreshold to 1.
	Threshold float64
	// Bands is the number of band keys of long sets, at least 1.
	Bands int
	// UnseenOnly makes the index remember only records that are not duplicates.
	UnseenOnly bool
	// SpillDir is the directory for sets that no log holds. If empty, they go to the system's
	// directory for temporary files.
	SpillDir string
}

// LeastThreshold is the minimum Threshold. Prefixes become longer below it, and must share two
// elements, which is certain only above one half.
const LeastThreshold = .6

const (
	// mostShort is the maximum number of elements of a set with a prefix.
	mostShort = 68

	// MostUnbanded is the maximum number of elements of a set without band keys. A larger set may
	// resemble one that has no prefix.
	MostUnbanded = mostShort * 6 / 10
)

// IsBanded reports whether the sketch of a set with n elements has band keys: the set is long, or
// so long that its elements are not listed (n is 0 then).
func IsBanded(n int) bool { return n == 0 || n > MostUnbanded }

// Form is the form of sets in sketches and logs.
const Form = packedset.Short

// hashBits is the number of leading bits of a hash that all sets keep. They distinguish elements:
// one in fifty of 300,000 words is mistaken for another, whose sets are then compared in vain.
const hashBits = int(packedset.Short)

// Validate returns an error if the parameters are invalid.
func (p Params) Validate() error {
	switch {
	case !(p.Threshold >= LeastThreshold && p.Threshold <= 1):
		return fmt.Errorf("threshold must be between %v and 1, not %v", LeastThreshold, p.Threshold)
	case p.Bands < 1 || p.Bands > 1<<16:
		return fmt.Errorf("bands must be between 1 and %d, not %d", 1<<16, p.Bands)
	}
	return nil
}

// keyWords returns the number of words for band keys in a sketch.
func (p Params) keyWords() int { return (p.Bands + 1) / 2 }

// wordsOf returns the number of words that follow the first one of the sketch of n elements.
func (p Params) wordsOf(n int) int {
	words := Form.Words(n)
	if IsBanded(n) {
		words += p.keyWords()
	}
	return words
}

// leastCommon returns the minimum number of elements that a set of n elements shares with any
// similar one.
func (p Params) leastCommon(n int) int {
	return p.atLeast(int(p.Threshold*float64(n))-1, func(common int) float64 { return float64(common) / float64(n) })
}

// commonOf returns the minimum number of common elements of similar sets of n and m elements.
func (p Params) commonOf(n, m int) int {
	first := int(p.Threshold/(1+p.Threshold)*float64(n+m)) - 1
	return p.atLeast(first, func(common int) float64 { return packedset.Jaccard(n, m, common) })
}

// atLeast returns the smallest number from first on for which similarity reaches the threshold.
func (p Params) atLeast(first int, similarity func(common int) float64) int {
	common := max(0, first)
	for similarity(common) < p.Threshold {
		common++
	}
	return common
}

// prefix returns how many elements of a set of n suffice for any similar set to share at least one
// of them.
func (p Params) prefix(n int) int { return n - p.leastCommon(n) + 1 }

// reach returns the maximum number of elements of a set that is similar to one of n elements and
// has none of the first precede of these. It is at most mostSize.
func (p Params) reach(n, precede int) int {
	m := n - precede
	for m < mostSize && p.commonOf(n, m+1) <= min(n-precede, m+1) {
		m++
	}
	return m
}

// usualKeys is the approximate number of keys of a set of 32 words.
const usualKeys = 16

// PeakBytes estimates the memory for the given number of passages while a table grows.
func (p Params) PeakBytes(entries uint64) uint64 {
	each := float64(entryBytes) + usualKeys*shape.CompactBytes()*(1+1/float64(tables))
	return uint64(math.Ceil(each * float64(entries)))
}

// shape is the shape of all tables, which are rebuilt whenever there are four times as many
// entries.
var shape = postings.Spacious
