package sketch

import (
	"crypto/sha1"
	"encoding/binary"
)

// datasketch gives, bit for bit, the hash values of MinHash in the Python library datasketch before
// its release 2.0, and with the scheme "legacy" from then on, with its default hash function: slot
// j is the minimum over the shingles of ((aⱼ·h + bⱼ mod 2⁶⁴) mod 2⁶¹−1) mod 2³², where h is the
// first four bytes of the SHA-1 of the shingle, little-endian. (The product overflows 64 bits
// there; what is meant to be a universal hash function modulo a prime is not quite one, without
// visible harm.)
type datasketch struct {
	mul, inc []uint64
}

// newDatasketch draws the constants as numpy.random.RandomState(seed) does: aⱼ from 1 … 2⁶¹−2, bⱼ
// from 0 … 2⁶¹−2.
func newDatasketch(k int, seed uint64) sketch {
	rng := newTwister(uint32(seed))
	d := &datasketch{mul: make([]uint64, k), inc: make([]uint64, k)}
	for j := range k {
		d.mul[j] = 1 + rng.upTo(mersenne61-2)
		d.inc[j] = rng.upTo(mersenne61 - 1)
	}
	return d
}

func (d *datasketch) add(slots []uint64, s *shingles) {
	for i := range s.len() {
		d.addElement(slots, s.at(i))
	}
}

func (d *datasketch) addElement(slots []uint64, element []byte) {
	sum := sha1.Sum(element)
	h := uint64(binary.LittleEndian.Uint32(sum[:]))
	for j, v := range slots {
		slots[j] = min(v, mod61(d.mul[j]*h+d.inc[j])&0xffffffff)
	}
}
