package sketch

import (
	"crypto/sha1"
	"encoding/binary"
)

// affine32 gives, bit for bit, the hash values of MinHash in the Python library datasketch from its
// release 2.0 on, with its default scheme and hash function: slot j is the minimum over the
// shingles of aⱼ·fmix(h) + bⱼ mod 2³², where aⱼ is odd, h is the first four bytes of the SHA-1 of
// the shingle, little-endian, and fmix the finalizer of MurmurHash3. Earlier releases compute what
// the sketch datasketch does.
type affine32 struct {
	mul, inc []uint32
}

// newAffine32 draws the constants as numpy.random.RandomState(seed) does: first all aⱼ, then all
// bⱼ.
func newAffine32(k int, seed uint64) sketch {
	rng := newTwister(uint32(seed))
	a := &affine32{mul: make([]uint32, k), inc: make([]uint32, k)}
	for j := range k {
		a.mul[j] = rng.next32()&(1<<31-1)*2 + 1
	}
	for j := range k {
		a.inc[j] = rng.next32()
	}
	return a
}

func (a *affine32) add(slots []uint64, s *shingles) {
	for i := range s.len() {
		a.addElement(slots, s.at(i))
	}
}

func (a *affine32) addElement(slots []uint64, element []byte) {
	sum := sha1.Sum(element)
	h := finalize32(binary.LittleEndian.Uint32(sum[:]))
	for j, v := range slots {
		slots[j] = min(v, uint64(a.mul[j]*h+a.inc[j]))
	}
}
