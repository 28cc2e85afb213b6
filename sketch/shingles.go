package sketch

import (
	"slices"

	"github.com/zeebo/xxh3"
)

// shingles are the shingles of span tokens in a window of text.
type shingles struct {
	tokens Tokens // those of the window, preceded by the last ones of the previous window
	span   int
	seed   uint64 // of the hashes, derived from a Secret; 0 means none
	// 1 if the last token may continue in the next window, so that no shingle includes it yet
	open   int
	hashed []uint64    // scratch buffer for hashes
	known  bool        // hashed has those of the window
	seen   *seenHashes // scratch space of fewerHashes
	mixed  []uint32    // scratch space of murmur3
}

func (s *shingles) len() int { return max(0, s.tokens.Len()-s.open-s.span+1) }

func (s *shingles) at(i int) []byte { return s.tokens.Shingle(i, s.span) }

// wordsAfter is the number of words after the hashes of shingles. Kernels load eight at a time and
// mask those that follow the last hash. If that page were not mapped, each such load would fault
// internally, and a signature would take longer.
const wordsAfter = 7

// hashes returns the XXH3-64 of each shingle, in any order. The slice is valid until the next
// window; another call returns it again, as the caller has left it. Memory after it is readable.
func (s *shingles) hashes() []uint64 {
	if s.known {
		return s.hashed
	}
	t, n := &s.tokens, s.len()
	if n == 0 || !hasAVX2 || s.seed != 0 || !s.areShort() {
		s.hashed = s.appendHashes(s.hashed[:0])
	} else {
		s.hashed = appendSortedHashes(s.hashed[:0], t.text, t.starts[:n-1], t.starts[s.span:], t.gap())
		s.hashed = append(s.hashed, xxh3.Hash(s.at(n-1)))
	}
	s.hashed, s.known = slices.Grow(s.hashed, wordsAfter), true
	return s.hashed
}

// areShort reports whether many shingles have 16 bytes or less, judging by the mean. It returns
// false for characters, which are hashed in order.
func (s *shingles) areShort() bool {
	t := &s.tokens
	return !(t.joined && 4 <= s.span && s.span <= 8) && len(t.text)*s.span < 24*len(t.starts)
}

// fewerHashes is hashes without most repeats, which affect no minimum.
func (s *shingles) fewerHashes() []uint64 {
	if s.seen == nil {
		s.seen = new(seenHashes)
	}
	return s.seen.dropRepeats(s.hashes())
}

// appendHashes appends the XXH3-64 of each shingle, in text order.
func (s *shingles) appendHashes(dst []uint64) []uint64 {
	t, n := &s.tokens, s.len()
	if n == 0 {
		return dst
	}
	if s.seed != 0 {
		return s.appendSeeded(dst)
	}
	if hasAVX2 && t.joined && 4 <= s.span && s.span <= 8 {
		dst = appendCharHashes(dst, t.text, t.starts, s.span)
	} else {
		dst = appendSpanHashes(dst, t.text, t.starts[:n-1], t.starts[s.span:], t.gap())
	}
	return append(dst, xxh3.Hash(s.at(n-1)))
}

// appendSeeded is appendHashes with a seed. Code that hashes several spans at once only supports
// the seed 0.
func (s *shingles) appendSeeded(dst []uint64) []uint64 {
	for i := range s.len() {
		dst = append(dst, xxh3.HashSeed(s.at(i), s.seed))
	}
	return dst
}

func (s *shingles) release() {
	s.tokens.release()
	if 8*cap(s.hashed) > maxScratch {
		s.hashed = nil
	}
	if 4*cap(s.mixed) > maxScratch {
		s.mixed = nil
	}
}
