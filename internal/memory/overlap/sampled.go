package overlap

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
)

// A sampler takes some of the n-grams of a text: at level l those whose hash is below 2^(64-l), one
// in 2^l. levelOf says the level by how many different n-grams the text has. It does not depend on
// their hashes: so any of them are equally likely to be the sample, and the share of it that was
// seen has the mean of the share of all that were seen.
//
// That holds for what was remembered at the same level or a smaller one: of all texts that are no
// longer, and where texts are long of all. Of a text that is a little longer and at the next level
// only half was. So a record that is near the next level is asked there too, where both have the
// same ones.
//
// Above level 0 an n-gram that a text has several times counts once, or else the few of the sample
// that are frequent would decide. How many were in the text before is known without a sample.
type sampler struct {
	scale    int
	grams    *grams
	multiply uint64 // the factor of the word that leaves an n-gram
	byPiece  bool   // an n-gram was seen if an earlier piece has it, and not for standing twice in its own

	rolled   []uint64 // hashes of the n-grams of all pieces
	isRepeat []bool   // of each: one before it is the same
	chosen   []uint32 // those of a piece that are in the sample
	pieces   []sampledPiece
	repeats  hashset.Repeats
	own      hashset.Set // the n-grams that a long piece has first
}

// A sampledPiece is a piece of a text, the hashes of its words, and where its n-grams end among
// those of all.
type sampledPiece struct {
	start, end int
	words      []uint64
	grams      int
}

const (
	leastSampled = 16   // n-grams that are expected in a sample
	nearNext     = 12   // that are expected at the next level, of a record that is asked there too
	maxScale     = 1024 // of a sample
	shortPiece   = 64   // n-grams
	rollFactor   = 0x9e3779b97f4a7c15
)

// levelOf is the level of a text of so many different n-grams: the largest, up to that of the
// scale, at which leastSampled are expected, or 0. So a short text has more of its n-grams, and one
// of fewer than 2·leastSampled all.
func levelOf(ngrams, scale int) int {
	return max(0, bits.Len(uint(min(scale, ngrams/leastSampled)))-1)
}

func newSampler(p Params, g *grams) *sampler {
	s := &sampler{scale: p.Scale, grams: g, multiply: 1, byPiece: methods[p.Method].selective}
	for range g.n {
		s.multiply *= rollFactor
	}
	return s
}

// add takes in a piece, whose words must stay as they are until appendTo.
func (s *sampler) add(words []uint64, start, end int) {
	before := len(s.rolled)
	s.roll(words)
	if len(s.rolled) > before {
		s.pieces = append(s.pieces, sampledPiece{start, end, words, len(s.rolled)})
	}
}

// count tells the n-grams that stand in the text for the first time from others, and returns how
// many they are, and how many n-grams were seen in the text before.
func (s *sampler) count() (first, again int) {
	s.isRepeat = slices.Grow(s.isRepeat[:0], len(s.rolled))[:len(s.rolled)]
	clear(s.isRepeat)
	repeats := s.repeats.Find(s.isRepeat, s.rolled)
	if again = repeats; s.byPiece && repeats > 0 {
		again = s.countEarlier()
	}
	return len(s.rolled) - repeats, again
}

// countEarlier counts the n-grams that an earlier piece has: those of which the first one in their
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

// countInLong does the same for a piece that is too long to be gone through for each repeat.
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

// roll appends the hashes of the n-grams of a piece: Σ h·rollFactor^(n-1-i) of the hashes h of the
// words i = 0 … n-1 of each. Each follows from the one before, for which a processor would wait: so
// it goes through both halves at once.
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
	a, b := rolledFirst(words[:n]), rolledFirst(later[:n])
	second[0] = b
	for i := range first {
		first[i] = a
		a = a*rollFactor + (words[i+n] - words[i]*s.multiply)
		if i+1 < len(second) {
			b = b*rollFactor + (later[i+n] - later[i]*s.multiply)
			second[i+1] = b
		}
	}
}

// rolledFirst is the hash of one n-gram.
func rolledFirst(words []uint64) (hash uint64) {
	for _, h := range words {
		hash = hash*rollFactor + h
	}
	return hash
}

// none is a level that no hash has.
const none = 65

// appendTo appends the pieces with the n-grams of the sample, and their keys. The ones of the next
// level, if the text is asked there too, come first in each piece. again is how much of the text
// is known to be seen without them.
func (s *sampler) appendTo(pieces []piece, keys []uint64) (_ []piece, _ []uint64, again uint64) {
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
			pieces = append(pieces, piece{p.start, p.end, parts, both})
		}
		grams = p.grams
	}
	s.reset()
	return pieces, keys, again
}

// sampledGrams are the n-grams of a piece.
type sampledGrams struct {
	words, rolled []uint64
	isRepeat      []bool
	all           bool // not only the first ones
}

// choose sets chosen to the n-grams of a level. One in many is, and no branch could be foretold: so
// all are stored, and the next one in the place of one that is not.
func (s *sampler) choose(rolled []uint64, level int) {
	s.chosen = slices.Grow(s.chosen[:0], len(rolled))[:len(rolled)]
	chosen, n := s.chosen, 0
	most := ^uint64(0) >> level // of a hash of the level
	for i, hash := range rolled {
		chosen[n] = uint32(i)
		_, isMore := bits.Sub64(most, hash, 0)
		n += int(1 - isMore)
	}
	s.chosen = chosen[:n]
}

// appendKeys appends the keys of the n-grams, of those that are chosen, that are of one level and
// not of another.
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

// reset empties the sampler, and lets go of memory that a huge text needed.
func (s *sampler) reset() {
	s.own.Reset()
	clear(s.pieces) // of the words
	s.rolled, s.pieces = s.rolled[:0], s.pieces[:0]
	if cap(s.rolled) > maxScratch {
		s.rolled, s.isRepeat, s.chosen, s.pieces = nil, nil, nil, nil
	}
}
