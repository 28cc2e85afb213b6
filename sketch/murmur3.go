package sketch

import "github.com/twmb/murmur3"

// murmur3Seeds hashes every shingle k times: slot j is the minimum of MurmurHash3_x86_32 of the shingle's bytes with
// seed+j. Work is n·k hash functions, many times that of the other sketches.
type murmur3Seeds struct{ seed uint32 }

func newMurmur3(_ int, seed uint64) sketch { return murmur3Seeds{uint32(seed)} }

func (m murmur3Seeds) add(slots []uint64, s *shingles) {
	for i := range s.len() {
		shingle := s.at(i)
		for j, v := range slots {
			slots[j] = min(v, uint64(murmur3.SeedSum32(m.seed+uint32(j), shingle)))
		}
	}
}
