package hamming

import "fmt"

// Params is what an Index is to do.
type Params struct {
	Bits     int // of a fingerprint: 64 or 128
	Distance int // in how many bits fingerprints may differ that are near each other, up to Bits/4

	// UnseenOnly says that only fingerprints with none near them are remembered.
	UnseenOnly bool
}

// Validate reports what has no meaning.
func (p Params) Validate() error {
	switch {
	case p.Bits != 64 && p.Bits != 128:
		return fmt.Errorf("bits must be 64 or 128, not %d", p.Bits)
	case p.Distance < 0 || p.Distance > p.Bits/4:
		return fmt.Errorf("distance must be between 0 and %d, a quarter of the bits, not %d", p.Bits/4, p.Distance)
	}
	return nil
}

// Words is the number of words of a fingerprint.
func (p Params) Words() int { return p.Bits / 64 }

// laneBits is how many bits lead to a bucket of a table.
const (
	laneBits = 16
	buckets  = 1 << laneBits
)

// A lane says by which bits of a fingerprint a table is ordered, and what is looked up there.
type lane struct {
	word, shift int
	flips       []uint16 // the bits in which a value that is looked up differs
}

// of is the value of the lane in a fingerprint.
func (l lane) of(fingerprint []uint64) uint16 { return uint16(fingerprint[l.word] >> l.shift) }

// lanes returns as many as there is room for, or as are enough. With m lanes and the distance
// m·a + r, where r < m, one of the first r+1 lanes differs in a bits at most, or one of the others
// in a-1: else the lanes alone would differ in more (Norouzi et al., section 3.1).
func (p Params) lanes() []lane {
	all := p.Bits / laneBits
	m := min(p.Distance+1, all)
	lanes := make([]lane, m)
	for i := range lanes {
		bit := i * all / m * laneBits
		lanes[i] = lane{word: bit / 64, shift: bit % 64}
		if radius := p.Distance / m; i <= p.Distance%m {
			lanes[i].flips = flipsOf(radius)
		} else {
			lanes[i].flips = flipsOf(radius - 1)
		}
	}
	return lanes
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
