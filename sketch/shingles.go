package sketch

import (
	"slices"

	"github.com/zeebo/xxh3"
)

// shingles are the shingles of span tokens of a window of text.
type shingles struct {
	tokens Tokens // those of the window, after the last ones of the window before
	span   int
	seed   uint64      // of the hashes, drawn from a secret; 0: none
	open   int         // 1 if the last token may go on in the next window, so that no shingle has it yet
	hashed []uint64    // scratch of hashes, after hashesAhead words
	seen   *seenHashes // scratch of fewerHashes
	mixed  []uint32    // scratch of murmur3
}

func (s *shingles) len() int { return max(0, s.tokens.Len()-s.open-s.span+1) }

func (s *shingles) at(i int) []byte { return s.tokens.Shingle(i, s.span) }

// hashesAhead is how many words are before the hashes of shingles. Kernels load eight at a time, of
// which some may lie before the first hash and are masked. If no page were there, the processor
// would find that out anew at each load, and a signature would take ten times as long.
const hashesAhead = 8

// hashes returns the XXH3-64 of each shingle, in any order. The slice is valid until the next call.
// There is memory before and after it.
func (s *shingles) hashes() []uint64 {
	s.hashed = append(s.hashed[:0], make([]uint64, hashesAhead)...)
	t, n := &s.tokens, s.len()
	if n == 0 || !hasAVX2 || s.seed != 0 || !s.areShort() {
		s.hashed = s.appendHashes(s.hashed)
	} else {
		s.hashed = appendSortedHashes(s.hashed, t.text, t.starts[:n-1], t.starts[s.span:], t.gap())
		s.hashed = append(s.hashed, xxh3.Hash(s.at(n-1)))
	}
	s.hashed = slices.Grow(s.hashed, 1)
	return s.hashed[hashesAhead:]
}

// areShort reports whether many shingles have 16 bytes and less, by their mean, unless they are
// characters, which are done in their order.
func (s *shingles) areShort() bool {
	t := &s.tokens
	return !(t.joined && 4 <= s.span && s.span <= 8) && len(t.text)*s.span < 24*len(t.starts)
}

// fewerHashes is hashes without most of the repeats, which change no minimum.
func (s *shingles) fewerHashes() []uint64 {
	if s.seen == nil {
		s.seen = new(seenHashes)
	}
	return s.seen.dropRepeats(s.hashes())
}

// appendHashes appends the XXH3-64 of each shingle, in the order of the text.
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

// appendSeeded is appendHashes under a seed. What does many spans at a time is for the seed 0.
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
