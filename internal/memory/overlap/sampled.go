package overlap

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
)

// A sampler samples the n-grams of a text: at level l those whose hash is below 2^(64-l), one in
// 2^l. levelOf chooses the level by the number of distinct n-grams. It does not depend on their
// hashes, so all samples are equally likely, and the expected share of the sample that was seen is
// the share of all n-grams that were.
//
// This requires that earlier texts were remembered at the same or a lower level: true for texts
// that are no longer, and for all if texts are long. A slightly longer text may be at the next
// level, and only half of its n-grams remembered. So a record near the next level is also looked up
// there, where both have the same n-grams.
//
// Above level 0 a repeated n-gram counts once; otherwise a few frequent ones in the sample would
// decide. How many n-grams occur earlier in the same text is known without a sample.
type sampler struct {
	scale    int
	grams    *grams
	multiply uint64 // factor of the word that leaves an n-gram
	// an n-gram counts as seen if an earlier piece has it, but not if only its own piece does
	byPiece bool

	rolled   []uint64 // hashes of the n-grams of all pieces
	isRepeat []bool   // isRepeat[i] means that an earlier hash equals rolled[i]
	chosen   []uint32 // n-grams of a piece that are in the sample
	pieces   []sampledPiece
	repeats  hashset.Repeats
	own      hashset.Set // n-grams that first occur in a long piece
}

// A sampledPiece is a piece of a text, the hashes of its words, and the end of its n-grams among
// all.
type sampledPiece struct {
	start, end int
	words      []uint64
	grams      int
}

const (
	leastSampled = 16 // minimum expected size of a sample
	// expected size at the next level from which a record is looked up there too
	nearNext   = 12
	maxScale   = 1024 // of a sample
	shortPiece = 64   // n-grams
)

// levelOf returns the level of a text with that many distinct n-grams: the largest, up to that of
// the scale, at which leastSampled are expected, or 0. So short texts keep more of their n-grams,
// and those with fewer than 2·leastSampled all.
func levelOf(ngrams, scale int) int {
	return max(0, bits.Len(uint(min(scale, ngrams/leastSampled)))-1)
}

func newSampler(p Params, g *grams) *sampler {
	s := &sampler{scale: p.Scale, grams: g, multiply: 1, byPiece: methods[p.Method].selective}
	for range g.n {
		s.multiply *= keyFactor
	}
	return s
}

// add adds a piece, whose words must not change until appendTo.
func (s *sampler) add(words []uint64, start, end int) {
	before := len(s.rolled)
	s.roll(words)
	if len(s.rolled) > before {
		s.pieces = append(s.pieces, sampledPiece{start, end, words, len(s.rolled)})
	}
}

// count marks repeated n-grams, and returns how many are distinct, and how many occur earlier in
// the text.
func (s *sampler) count() (first, again int) {
	s.isRepeat = slices.Grow(s.isRepeat[:0], len(s.rolled))[:len(s.rolled)]
	clear(s.isRepeat)
	repeats := s.repeats.Find(s.isRepeat, s.rolled)
	if again = repeats; s.byPiece && repeats > 0 {
		again = s.countEarlier()
	}
	return len(s.rolled) - repeats, again
}

// countEarlier counts the n-grams that an earlier piece has: those whose first occurrence in their
// own piece is a repeat.
func (s *sampler) countEarlier() (again int) {
	from := 0
	for _, p := range s.pieces {
		rolled, isRepeat := s.rolled[from:p.grams], s.isRepeat[from:p.grams]
		if len(rolled) <= shortPiece {
			for i, hash := range rolled {
				if isRepeat[i] && isRepeat[slices.Index(rolled, hash)] {
					again++
				}
			}
		} else {
			again += s.countInLong(rolled, isRepeat)
		}
		from = p.grams
	}
	return again
}

// countInLong does the same for a piece too long to be searched for each repeat.
func (s *sampler) countInLong(rolled []uint64, isRepeat []bool) (again int) {
	s.own.Reset()
	for i, hash := range rolled {
		if !isRepeat[i] {
			s.own.Add(hash)
		} else if !s.own.Has(hash) {
			again++
		}
	}
	return again
}

// roll appends the hashes of the n-grams of a piece: Σ h·keyFactor^(n-1-i) of the hashes h of the
// words i = 0 … n-1 of each. Each hash depends on the previous one, which would stall a processor,
// so both halves are computed in parallel.
func (s *sampler) roll(words []uint64) {
	n := s.grams.lengthOf(len(words))
	if n == 0 || len(words) < n {
		return
	}
	at, count := len(s.rolled), len(words)-n+1
	s.rolled = slices.Grow(s.rolled, count)[:at+count]
	half := count / 2
	first, second := s.rolled[at:at+half], s.rolled[at+half:]
	later := words[half:]
	a, b := keyOfWords(words[:n]), keyOfWords(later[:n])
	second[0] = b
	for i := range first {
		first[i] = a
		a = a*keyFactor + (words[i+n] - words[i]*s.multiply)
		if i+1 < len(second) {
			b = b*keyFactor + (later[i+n] - later[i]*s.multiply)
			second[i+1] = b
		}
	}
}

// none is a level that no hash has.
const none = 65

// appendTo appends the words of the pieces with the sampled n-grams, and their keys. If the text is
// also looked up at the next level, those n-grams come first in each piece. again is the share of
// the text that is known to be seen without them.
func (s *sampler) appendTo(pieces, keys []uint64) (_, _ []uint64, again uint64) {
	first, seen := s.count()
	level, next := levelOf(first, s.scale), none
	if 2<<level <= s.scale && first >= nearNext<<(level+1) {
		next = level + 1
	}
	if level > 0 {
		again = shareOf(seen, seen+first)
	}
	grams := 0
	for _, p := range s.pieces {
		own := sampledGrams{p.words, s.rolled[grams:p.grams], s.isRepeat[grams:p.grams], level == 0}
		before := len(keys)
		s.choose(own.rolled, level)
		if next < none {
			keys = s.appendKeys(keys, own, next, none)
		}
		both := (len(keys) - before) / 2
		keys = s.appendKeys(keys, own, level, next)
		if parts := (len(keys) - before) / 2; parts > 0 {
			pieces = piece{p.start, p.end, parts, both}.append(pieces)
		}
		grams = p.grams
	}
	s.reset()
	return pieces, keys, again
}

// sampledGrams holds the n-grams of a piece.
type sampledGrams struct {
	words, rolled []uint64
	isRepeat      []bool
	all           bool // including repeats
}

// choose sets chosen to the n-grams of a level. A branch could not be predicted, so each index is
// stored, and overwritten by the next if it does not belong.
func (s *sampler) choose(rolled []uint64, level int) {
	s.chosen = slices.Grow(s.chosen[:0], len(rolled))[:len(rolled)]
	chosen, n := s.chosen, 0
	most := ^uint64(0) >> level // of a hash at the level
	for i, hash := range rolled {
		chosen[n] = uint32(i)
		_, isMore := bits.Sub64(most, hash, 0)
		n += int(1 - isMore)
	}
	s.chosen = chosen[:n]
}

// appendKeys appends the keys of the chosen n-grams that are at one level and not at another.
func (s *sampler) appendKeys(keys []uint64, of sampledGrams, level, without int) []uint64 {
	n := s.grams.lengthOf(len(of.words))
	for _, i := range s.chosen {
		l := bits.LeadingZeros64(of.rolled[i])
		if l >= level && l < without && (of.all || !of.isRepeat[i]) {
			keys = keyOf(keys, unsafe.Slice((*byte)(unsafe.Pointer(&of.words[i])), 8*n))
		}
	}
	return keys
}

// reset empties the sampler, and frees the memory of a huge text.
func (s *sampler) reset() {
	s.own.Reset()
	clear(s.pieces) // drops references to words
	s.rolled, s.pieces = s.rolled[:0], s.pieces[:0]
	if cap(s.rolled) > maxScratch {
		s.rolled, s.isRepeat, s.chosen, s.pieces = nil, nil, nil, nil
	}
}
