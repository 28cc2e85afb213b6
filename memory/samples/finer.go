package samples

import (
	"math"
	"slices"
	"sort"

	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// mostTimesLonger is how many times as many hashes as the record at hand an entry may have for its
// finer sample to be asked. So the work stays within that of the record, however long entries are.
const mostTimesLonger = 64

// holds reports whether finer samples let stand what the samples say of an entry: they do unless
// fewer hashes are shared than is usual where the threshold is just met.
//
// What is common does not count. Which hashes of a finer sample are is not known, but how many, by
// the sample: so the threshold is asked of the others alone, whichever these are.
//
// Of the finer sample of the entry those hashes are looked at that its sample does not have, below
// the bound of both finer samples. They had no part in the choice of the entry, so the share of
// them that is in the other text has no bias.
func (x *Index) holds(f found) bool {
	entry := x.entries.finer(f.entry)
	if entry.count == 0 {
		return true
	}
	first, end := entry.first(), entry.end(fracminhash.FinerLevel(x.own.Level))
	if first >= end {
		return true
	}
	own := x.uppersBetween(entry, first, end)
	if !f.contains && entry.count > mostTimesLonger*max(fracminhash.Least, len(own)) {
		return true
	}
	counts, positions := entry.shared(own, end), float64(end-first)
	if f.contains {
		// n hashes to a position, at random, leave e^-n of the positions empty. So 1-e^-n have one,
		// or at least n/(1+n).
		n := float64(len(own)) / positions
		return enough(counts.both, counts.positions, n/(1+n), x.params.Threshold)
	}
	rare := 1 - float64(x.common)/float64(len(x.sample))
	return enough(counts.hashes, len(own), float64(counts.positions)/positions, x.params.Threshold*rare)
}

// uppersBetween is those upper halves of the record at hand that have a position from first on and
// below end.
func (x *Index) uppersBetween(p packed, first, end uint32) []uint32 {
	from, _ := slices.BinarySearch(x.uppers, p.upperOf(first))
	own := x.uppers[from:]
	to := sort.Search(len(own), func(i int) bool { return p.positionOf(own[i]) >= end })
	return own[:to]
}

// enough reports whether so many hashes of some have equals in the other text that a share of them
// may have it which is the threshold: that is, no fewer than are expected then, less a standard
// deviation. byChance is how likely one has an equal that the other text does not have.
func enough(equal, of int, byChance, threshold float64) bool {
	n, p := float64(of), threshold+(1-threshold)*byChance
	return float64(equal) >= n*p-math.Sqrt(n*p*(1-p))
}
