package sketch

import (
	"math/bits"
	"slices"
)

// SignedSet makes sketches by which candidates can be verified exactly: the words of Signed.Append,
// after them the number of different shingles, and then their hashes in ascending order. It owns a
// Sketcher, so each goroutine needs its own.
type SignedSet struct{ *Sketcher }

// MaxSet is the most shingles that a SignedSet gives. Of a text with more of them, some 25 MB of
// English, it gives none, and 0 for their number.
const MaxSet = 1<<22 - 1

// Append appends the sketch of the text to dst. If the text is empty nothing is appended and ok is
// false.
func (s SignedSet) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	s.hashes = s.hashes[:0]
	if s.slots, ok = s.signature(s.slots[:0], text, &s.hashes); !ok {
		return dst, false
	}
	dst = AppendPacked(s.appendKeys(dst), s.slots)
	set := slices.Compact(s.sorted(s.hashes))
	if len(set) > MaxSet {
		set = nil
	}
	dst = append(append(dst, uint64(len(set))), set...)
	if 8*cap(s.hashes) > maxScratch {
		s.hashes = nil
	}
	return dst, true
}

// sorted sorts hashes in place. Their first bits say nearly where each belongs.
func (s *Sketcher) sorted(hashes []uint64) []uint64 {
	shift := 64 - min(maxSortBits, bits.Len(uint(len(hashes))))
	s.sortEnds = slices.Grow(s.sortEnds[:0], 1<<(64-shift))[:1<<(64-shift)]
	clear(s.sortEnds)
	for _, h := range hashes {
		s.sortEnds[h>>shift]++
	}
	end := uint32(0)
	for i, n := range s.sortEnds {
		s.sortEnds[i] = end
		end += n
	}
	s.unsorted = append(s.unsorted[:0], hashes...)
	for _, h := range s.unsorted {
		hashes[s.sortEnds[h>>shift]] = h
		s.sortEnds[h>>shift]++
	}
	start := uint32(0)
	for _, end := range s.sortEnds {
		if end-start > 1 {
			slices.Sort(hashes[start:end])
		}
		start = end
	}
	if 8*cap(s.unsorted) > maxScratch {
		s.unsorted = nil
	}
	return hashes
}

const maxSortBits = 12
