package sketch

import "math/bits"

// twister is the generator MT19937 (Matsumoto, Nishimura: Mersenne Twister, ACM TOMACS 8, 1998),
// which numpy's RandomState uses.
type twister struct {
	state [624]uint32
	used  int
}

func newTwister(seed uint32) *twister {
	t := &twister{used: 624}
	t.state[0] = seed
	for i := 1; i < 624; i++ {
		prev := t.state[i-1]
		t.state[i] = 1812433253*(prev^prev>>30) + uint32(i)
	}
	return t
}

func (t *twister) next32() uint32 {
	if t.used == 624 {
		for i := range t.state {
			y := t.state[i]&0x80000000 | t.state[(i+1)%624]&0x7fffffff
			t.state[i] = t.state[(i+397)%624] ^ y>>1 ^ -(y&1)&0x9908b0df
		}
		t.used = 0
	}
	y := t.state[t.used]
	t.used++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// upTo returns a number from 0 to most, which has more than 32 bits, by drawing as many bits as
// most has until the number is not above it.
func (t *twister) upTo(most uint64) uint64 {
	for {
		high := uint64(t.next32())
		v := (high<<32 | uint64(t.next32())) & (1<<bits.Len64(most) - 1)
		if v <= most {
			return v
		}
	}
}
