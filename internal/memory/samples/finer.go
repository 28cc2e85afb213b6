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

// A look is what is known of the later one of two records when finer samples are asked.
type look struct {
	level  int
	uppers []uint32 // upper halves of its hashes, also of the finer sample, in ascending order
	rare   float64  // the share of its sample that is not common
}

// lookAt is the look of a sketch, of whose sample so many hashes are common. It appends to scratch.
func lookAt(scratch []uint32, s fracminhash.Sketch, common int) look {
	return look{s.Level, s.AppendUppers(scratch), 1 - float64(common)/float64(len(s.Sample()))}
}

// holds reports whether the finer sample of an earlier record lets stand what the samples say: it
// does unless fewer hashes are shared than is usual where the threshold is just met. contains says
// that it is the earlier record that is in the later one.
//
// What is common does not count. Which hashes of a finer sample are is not known, but how many, by
// the sample: so the threshold is asked of the others alone, whichever these are.
//
// Of the finer sample those hashes are looked at that the sample does not have, below the bound of
// both finer samples. They had no part in the choice of the record, so the share of them that is in
// the other text has no bias.
func (l look) holds(earlier packed, contains bool, threshold float64) bool {
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
	counts, positions := earlier.shared(own, end), float64(end-first)
	if contains {
		// n hashes to a position, at random, leave e^-n of the positions empty. So 1-e^-n have one,
		// or at least n/(1+n).
		n := float64(len(own)) / positions
		return enough(counts.both, counts.positions, n/(1+n), threshold)
	}
	return enough(counts.hashes, len(own), float64(counts.positions)/positions, threshold*l.rare)
}

// uppersBetween is those upper halves of the later record that have a position from first on and
// below end.
func (l look) uppersBetween(p packed, first, end uint32) []uint32 {
	from, _ := slices.BinarySearch(l.uppers, p.upperOf(first))
	own := l.uppers[from:]
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
