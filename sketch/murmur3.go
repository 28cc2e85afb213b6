package sketch

import (
	"encoding/binary"
	"math/bits"
)

// murmur3 hashes every shingle k times: slot j is the minimum of MurmurHash3_x86_32 (Appleby, 2011)
// of the shingle's bytes with seed+j. The work is n·k hash evaluations, far more than for the other
// sketches.
type murmur3 struct{ seed uint32 }

func newMurmur3(_ int, seed uint64) sketch { return murmur3{uint32(seed)} }

func (m murmur3) add(slots []uint64, s *shingles) {
	for i := range s.len() {
		shingle := s.at(i)
		s.mixed = appendMixed(s.mixed[:0], shingle)
		mixed := s.mixed
		last := len(mixed) - 1
		end := mixed[last] ^ uint32(len(shingle))
		for j, v := range slots {
			h := m.seed + uint32(j)
			for _, k := range mixed[:last] {
				h = bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
			}
			slots[j] = min(v, uint64(finalize32(h^end)))
		}
	}
}

// finalize32 is the finalizer of MurmurHash3, by which each bit of h affects all bits of the
// result.
func finalize32(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// appendMixed appends the part of the hash that does not depend on the seed: each mixed word of
// four bytes, and up to three remaining bytes.
func appendMixed(dst []uint32, data []byte) []uint32 {
	for ; len(data) >= 4; data = data[4:] {
		dst = append(dst, mixMurmur3(binary.LittleEndian.Uint32(data)))
	}
	rest := uint32(0)
	for i, c := range data {
		rest |= uint32(c) << (8 * i)
	}
	return append(dst, mixMurmur3(rest))
}

func mixMurmur3(k uint32) uint32 { return bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593 }
