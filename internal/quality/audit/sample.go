package audit

import "math/rand/v2"

// A Sample is some of the numbers that it is shown, each set of them equally likely (J. S. Vitter:
// Random Sampling with a Reservoir, ACM TOMS 11, 1985, algorithm R). It depends on the seed and the
// numbers alone.
type Sample struct {
	Numbers []uint64 // in no order
	Of      uint64   // how many it was shown

	most int
	rng  *rand.Rand
}

// NewSample takes at most so many numbers.
func NewSample(most int, seed uint64) *Sample {
	return &Sample{most: most, rng: rand.New(rand.NewPCG(seed, 0))}
}

// Show takes a number, perhaps in the place of another one.
func (s *Sample) Show(number uint64) {
	s.Of++
	if len(s.Numbers) < s.most {
		s.Numbers = append(s.Numbers, number)
		return
	}
	if i := s.rng.Uint64N(s.Of); i < uint64(s.most) {
		s.Numbers[i] = number
	}
}

// IsAll reports whether every number that was shown is in the sample.
func (s *Sample) IsAll() bool { return s.Of == uint64(len(s.Numbers)) }
