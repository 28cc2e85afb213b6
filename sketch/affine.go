package sketch

// affine consists of k independent functions: slot j is the minimum of aⱼ·x + bⱼ mod 2⁶⁴ over the
// hashes x. Slots of two texts agree with probability J, independently of each other, so that the
// probability of a common band is exactly 1−(1−J^r)^b. The work is n·k multiplications.
type affine struct {
	mul, inc []uint64
}

func newAffine(k int, seed uint64) sketch {
	rng := splitMix(seed)
	a := &affine{mul: make([]uint64, k), inc: make([]uint64, k)}
	for j := range k {
		a.mul[j] = rng.next() | 1
		a.inc[j] = rng.next()
	}
	return a
}

func (a *affine) add(slots []uint64, s *shingles) { a.addHashes(slots, s.fewerHashes()) }

func (a *affine) addHashes(slots, hashes []uint64) {
	j := 0
	// Four slots at a time: one load of a hash serves four independent chains of multiply, add and
	// min.
	for ; j+4 <= len(slots); j += 4 {
		m, c, s := a.mul[j:j+4:j+4], a.inc[j:j+4:j+4], slots[j:j+4:j+4]
		m0, m1, m2, m3 := m[0], m[1], m[2], m[3]
		c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
		s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
		for _, x := range hashes {
			s0 = min(s0, m0*x+c0)
			s1 = min(s1, m1*x+c1)
			s2 = min(s2, m2*x+c2)
			s3 = min(s3, m3*x+c3)
		}
		s[0], s[1], s[2], s[3] = s0, s1, s2, s3
	}
	for ; j < len(slots); j++ {
		for _, x := range hashes {
			slots[j] = min(slots[j], a.mul[j]*x+a.inc[j])
		}
	}
}
