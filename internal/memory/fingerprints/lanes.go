package fingerprints

import (
	"math"
	"math/bits"
)

// laneBits is how many bits lead to a bucket of a table.
const (
	laneBits = 16
	buckets  = 1 << laneBits
)

// A lane says by which bits of a fingerprint a table is ordered.
type lane struct{ word, shift int }

// of is the value of the lane in a fingerprint.
func (l lane) of(fingerprint []uint64) uint16 { return uint16(fingerprint[l.word] >> l.shift) }

// lanes are the lanes of an index, and what is looked up in them.
//
// What differs from a fingerprint in d bits is found in one of the first d+1 steps, of which there
// is no end: step n looks in lane n mod m, of m lanes, for the values that differ in n/m bits. Else
// the lanes alone would differ in more than d bits (Norouzi et al., section 3.1). So the nearer
// what is found is, the fewer steps remain.
type lanes struct {
	list  []lane
	flips []uint16 // the values of up to so many bits as a step may need, the fewest bits first
	ends  []int    // of the fingerprints of each number of bits
}

// lanes returns as many lanes as there is room for, or as are enough.
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

// step returns the lane of a step, and by which bits the values differ that are looked up.
func (l *lanes) step(n int) (lane int, flips []uint16) {
	radius, lane := n/len(l.list), n%len(l.list)
	from := 0
	if radius > 0 {
		from = l.ends[radius-1]
	}
	return lane, l.flips[from:l.ends[radius]]
}

// firstStep is the step that finds an item first.
func (l *lanes) firstStep(item, fingerprint []uint64) int {
	first := math.MaxInt
	for i, lane := range l.list {
		radius := bits.OnesCount16(lane.of(item) ^ lane.of(fingerprint))
		first = min(first, radius*len(l.list)+i)
	}
	return first
}

// flipsOf returns the values of 16 bits of which at most radius are set, the fewest first.
func flipsOf(radius int) (flips []uint16) {
	of := []uint16{0} // all of so many bits
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
