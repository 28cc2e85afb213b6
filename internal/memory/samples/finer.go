package samples

import (
	"math"
	"slices"
	"sort"

	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// mostTimesLonger bounds the finer samples that are compared: an entry may have this many times as
// many hashes as the current record. So the work depends on the record, however long entries are.
const mostTimesLonger = 64

// A finerPart is the part of the later of two records that is compared with finer samples.
type finerPart struct {
	level  int
	uppers []uint32 // upper halves of its hashes, including the finer sample, in ascending order
	rare   float64  // share of its sample that is not common
}

// finerPartOf returns the finerPart of a sketch. common is the number of common hashes in its
// sample. It appends to scratch.
func finerPartOf(scratch []uint32, s fracminhash.Sketch, common int) finerPart {
	return finerPart{s.Level, s.AppendUppers(scratch), 1 - float64(common)/float64(len(s.Sample()))}
}

// confirms reports whether the finer sample of an earlier record confirms what the samples found.
// A near copy must be confirmed both ways.
//
// Common hashes do not count. Which hashes of a finer sample are common is unknown, but the sample
// tells how many; so the threshold applies to the remaining ones, whichever they are. A near copy
// has the common hashes of its original too.
func (p *Params) confirms(own finerPart, earlier packed, f found) bool {
	switch least := p.leastNear(); {
	case f.near:
		return own.confirms(earlier, false, least) && own.confirms(earlier, true, least)
	case f.contains:
		return own.confirms(earlier, true, p.Threshold)
	}
	return own.confirms(earlier, false, p.Threshold*own.rare)
}

// confirms reports whether a finer sample is compatible with a share: it is unless the records
// share fewer hashes than is usual at exactly that share. contains is true for the share of the
// earlier record in the later one.
//
// Only hashes of the finer sample that are not in the sample are compared, below the bound of both
// finer samples. They had no part in choosing the record, so their share in the other text is an
// unbiased estimate.
func (l finerPart) confirms(earlier packed, contains bool, share float64) bool {
	if earlier.count == 0 {
		return true
	}
	first, end := earlier.first(), earlier.end(fracminhash.FinerLevel(l.level))
	if first >= end {
		return true
	}
	own := l.uppersBetween(earlier, first, end)
	if !contains && earlier.count > mostTimesLonger*max(fracminhash.Least, len(own)) {
		return true
	}
	counts, positions := earlier.shared(own, first, end), float64(end-first)
	if contains {
		// With n random hashes for each position, e^-n of the positions stay empty. So 1-e^-n, or
		// at least n/(1+n), have one.
		n := float64(len(own)) / positions
		return enough(counts.both, counts.positions, n/(1+n), share)
	}
	return enough(counts.hashes, len(own), float64(counts.positions)/positions, share)
}

// uppersBetween returns the upper halves of the later record with positions in [first, end).
func (l finerPart) uppersBetween(p packed, first, end uint32) []uint32 {
	from, _ := slices.BinarySearch(l.uppers, p.upperOf(first))
	own := l.uppers[from:]
	to := sort.Search(len(own), func(i int) bool { return p.positionOf(own[i]) >= end })
	return own[:to]
}

// enough reports whether the number of hashes, out of some, that are equal in the other text is
// compatible with a share. byChance is the probability that a hash matches although the other text
// does not have it.
func enough(equal, of int, byChance, share float64) bool {
	return float64(equal) >= usually(of, share+(1-share)*byChance)
}

// usually returns the expected number of hashes, out of some, that are equal with a probability,
// minus a standard deviation.
func usually(of int, p float64) float64 {
	n := float64(of)
	return n*p - math.Sqrt(n*p*(1-p))
}
