package sketch

import (
	"math/bits"
	"slices"
)

// A hashSorter sorts lists of a few hundred hashes and drops repeats. The leading bits of a hash
// select a bit of a bitmap. The number of bits before it that are set is the place of the hash,
// apart from the few hashes whose bit another one has set. So the work on a hash hardly depends on
// its value, and there are few branches that a processor mispredicts.
type hashSorter struct {
	bitmap [bitmapWords]uint64
	ranks  [bitmapWords]uint32 // number of bits that are set before each word
	again  []uint64            // hashes whose place was taken
}

const (
	bitmapBits  = 14
	bitmapWords = 1 << bitmapBits / 64

	// mostAtOnce is the size of a list up to which few hashes share a bit.
	mostAtOnce = 1 << 10
)

// appendDistinct appends the distinct hashes in ascending order to dst, which must have capacity
// for all of them.
func (s *hashSorter) appendDistinct(dst, hashes []uint64) []uint64 {
	clear(s.bitmap[:])
	for _, h := range hashes {
		bit := h >> (64 - bitmapBits)
		s.bitmap[uint8(bit/64)] |= 1 << (bit & 63)
	}
	rank := uint32(0)
	for i, word := range &s.bitmap {
		s.ranks[i] = rank
		rank += uint32(bits.OnesCount64(word))
	}
	n := len(dst)
	dst = dst[:n+int(rank)]
	clear(dst[n:])
	s.place(dst[n:], hashes)
	return dst[:n+len(s.insert(dst[n:]))]
}

// place writes hashes to their places, which must be zero, and those whose place is taken to again.
// In line it would run out of registers.
//
//go:noinline
func (s *hashSorter) place(places, hashes []uint64) {
	s.again = s.again[:0]
	for _, h := range hashes {
		at := &places[s.rank(h)]
		if *at != 0 || h == 0 {
			s.again = append(s.again, h)
			continue
		}
		*at = h
	}
}

// rank returns the number of bits that are set before that of a hash.
func (s *hashSorter) rank(h uint64) uint32 {
	bit := h >> (64 - bitmapBits)
	word := uint8(bit / 64)
	return s.ranks[word] + uint32(bits.OnesCount64(s.bitmap[word]&(1<<(bit&63)-1)))
}

// insert inserts the hashes of again into sorted ones, unless they are repeats.
func (s *hashSorter) insert(sorted []uint64) []uint64 {
	more := s.again[:0]
	for _, h := range s.again {
		if sorted[s.rank(h)] != h {
			more = append(more, h)
		}
	}
	slices.Sort(more)
	more = slices.Compact(more)
	end := len(sorted)
	sorted = sorted[:end+len(more)]
	for ; len(more) > 0; more = more[:len(more)-1] {
		h := more[len(more)-1]
		at := int(s.rank(h))
		if h > sorted[at] {
			at++
		}
		copy(sorted[at+len(more):], sorted[at:end])
		sorted[at+len(more)-1] = h
		end = at
	}
	return sorted
}
