package audit

import "math/rand/v2"

// A Sample is a uniform random sample of the numbers it is shown (J. S. Vitter: Random Sampling
// with a Reservoir, ACM TOMS 11, 1985, algorithm R). It depends only on the seed and the numbers.
type Sample struct {
	Numbers []uint64 // in no particular order
	Of      uint64   // how many numbers it was shown

	limit int
	rng   *rand.Rand
}

// NewSample returns a Sample of at most that many numbers.
func NewSample(most int, seed uint64) *Sample {
	return &Sample{limit: most, rng: rand.New(rand.NewPCG(seed, 0))}
}

// Show adds a number, possibly replacing another.
func (s *Sample) Show(number uint64) {
	s.Of++
	if len(s.Numbers) < s.limit {
		s.Numbers = append(s.Numbers, number)
		return
	}
	if i := s.rng.Uint64N(s.Of); i < uint64(s.limit) {
		s.Numbers[i] = number
	}
}

// IsAll reports whether the sample contains every number shown.
func (s *Sample) IsAll() bool { return s.Of == uint64(len(s.Numbers)) }
