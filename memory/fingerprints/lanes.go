package fingerprints

// laneBits is how many bits lead to a bucket of a table.
const (
	laneBits = 16
	buckets  = 1 << laneBits
)

// A lane says by which bits of a fingerprint a table is ordered, and what is looked up there.
type lane struct {
	word, shift int
	radius      int      // in how many bits a value that is looked up may differ
	flips       []uint16 // the bits in which it differs
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
		radius := p.Distance / m
		if i > p.Distance%m {
			radius--
		}
		lanes[i] = lane{word: bit / 64, shift: bit % 64, radius: radius, flips: flipsOf(radius)}
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
