package fingerprints

import (
	"math"
	"math/bits"
)

// laneBits is the number of bits that select a bucket of a table.
const (
	laneBits = 16
	buckets  = 1 << laneBits
)

// A lane is the group of bits that a table is ordered by.
type lane struct{ word, shift int }

// of returns the value of the lane in a fingerprint.
func (l lane) of(fingerprint []uint64) uint16 { return uint16(fingerprint[l.word] >> l.shift) }

// lanes holds the lanes of an index, and the order in which their values are looked up.
//
// A fingerprint that differs in d bits is found in one of the first d+1 of an unlimited number of
// steps: with m lanes, step n looks in lane n mod m for the values that differ in n/m bits.
// Otherwise the lanes alone would differ in more than d bits (Norouzi et al., section 3.1). So the
// nearer the best hit is, the fewer steps remain.
type lanes struct {
	list  []lane
	flips []uint16 // masks of up to as many bits as a step may need, the fewest bits first
	ends  []int    // for each number of bits, where its masks end in flips
}

// lanes returns as many lanes as fit into a fingerprint, or fewer if these suffice.
func (p Params) lanes() lanes {
	all := p.Bits / laneBits
	m := min(p.Distance+1, all)
	l := lanes{list: make([]lane, m)}
	for i := range l.list {
		bit := i * all / m * laneBits
		l.list[i] = lane{word: bit / 64, shift: bit % 64}
	}
	for radius := range p.Distance/m + 1 {
		l.flips = flipsOf(radius)
		l.ends = append(l.ends, len(l.flips))
	}
	return l
}

// step returns the lane of step n, and the masks of the values that it looks up.
func (l *lanes) step(n int) (lane int, flips []uint16) {
	radius, lane := n/len(l.list), n%len(l.list)
	from := 0
	if radius > 0 {
		from = l.ends[radius-1]
	}
	return lane, l.flips[from:l.ends[radius]]
}

// firstStep returns the first step that finds item.
func (l *lanes) firstStep(item, fingerprint []uint64) int {
	first := math.MaxInt
	for i, lane := range l.list {
		radius := bits.OnesCount16(lane.of(item) ^ lane.of(fingerprint))
		first = min(first, radius*len(l.list)+i)
	}
	return first
}

// flipsOf returns all masks of 16 bits with at most radius bits set, the fewest bits first.
func flipsOf(radius int) (flips []uint16) {
	of := []uint16{0} // all masks with the current number of bits
	for n := 0; n <= radius; n++ {
		flips = append(flips, of...)
		var next []uint16
		for _, f := range of {
			for bit := range laneBits {
				if f>>bit == 0 {
					next = append(next, f|1<<bit)
				}
			}
		}
		of = next
	}
	return flips
}
