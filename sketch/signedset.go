package sketch

import (
	"math/bits"
	"slices"
)

// SignedSet makes sketches that allow candidates to be verified exactly: the words of
// Signed.Append, the number of distinct shingles, and their hashes in ascending order. It owns its
// Sketchers, so each goroutine needs its own.
type SignedSet struct {
	*Sketcher
	// Verifier finds the shingles of the set; nil for those of the signature.
	Verifier *Sketcher
}

// MaxSet is the maximum number of shingles in a SignedSet. For a text with more, some 25 MB of
// English, the number is 0 and there are no hashes.
const MaxSet = 1<<22 - 1

// Append appends the sketch of the text to dst. If the text is empty nothing is appended and ok is
// false.
func (s SignedSet) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	defer s.set.reset()
	of := &s.set
	if s.Verifier != nil {
		of = nil
	}
	if s.slots, ok = s.signature(s.slots[:0], text, of); !ok {
		return dst, false
	}
	if s.Verifier != nil {
		s.Verifier.collect(&s.set, text)
	}
	return s.set.appendTo(AppendPacked(s.appendKeys(dst), s.slots, s.params.PackedBits())), true
}

// collect adds the shingles of the text to a set.
func (s *Sketcher) collect(set *shingleSet, text []byte) {
	for w := s.windows(text); w.next(); {
		if s.shingles.len() > 0 {
			set.add(&s.shingles)
		}
	}
	s.release()
}

// A shingleSet collects the hashes of a text's shingles.
type shingleSet struct {
	hashes  []uint64 // including repeats
	tooMany bool     // there are more than MaxSet distinct ones
	scratch []uint64 // of sorted
	ends    []uint32 // scratch buffer of sorted
	sorter  hashSorter
}

// reset empties the set, and frees the memory of a huge text.
func (s *shingleSet) reset() {
	if 8*(cap(s.hashes)+cap(s.scratch)+cap(s.sorter.again)) > maxScratch {
		*s = shingleSet{}
	}
	s.hashes, s.tooMany = s.hashes[:0], false
}

// add adds the shingles of a window. Repeats are dropped when they would take more than a set may.
func (s *shingleSet) add(window *shingles) {
	if s.tooMany {
		return
	}
	s.hashes = append(s.hashes, window.hashes()...)
	if len(s.hashes) <= 2*MaxSet {
		return
	}
	if s.hashes = s.sorted(); len(s.hashes) > MaxSet {
		s.hashes, s.tooMany = nil, true
	}
}

// sorted returns the distinct hashes in ascending order, in one of the buffers of s. Many hashes
// are divided by their first bits into lists that are sorted one by one.
func (s *shingleSet) sorted() []uint64 {
	hashes := s.hashes
	s.scratch = slices.Grow(s.scratch[:0], len(hashes))[:len(hashes)]
	if len(hashes) <= mostAtOnce {
		return s.sorter.appendDistinct(s.scratch[:0], hashes)
	}
	first := bits.Len(uint(len(hashes) / (mostAtOnce / 2)))
	s.ends = slices.Grow(s.ends[:0], 1<<first)[:1<<first]
	clear(s.ends)
	for _, h := range hashes {
		s.ends[h>>(64-first)]++
	}
	end := uint32(0)
	for i, n := range s.ends {
		s.ends[i] = end
		end += n
	}
	for _, h := range hashes {
		list := h >> (64 - first)
		s.scratch[s.ends[list]] = bits.RotateLeft64(h, first) // what all of the list have comes last
		s.ends[list]++
	}
	start, sorted := uint32(0), hashes[:0]
	for _, end := range s.ends {
		sorted = s.sorter.appendDistinct(sorted, s.scratch[start:end])
		start = end
	}
	for i, h := range sorted {
		sorted[i] = bits.RotateLeft64(h, -first)
	}
	return sorted
}
