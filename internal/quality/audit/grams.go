package audit

import (
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
)

// Grams finds the shingles of sampled removed records in other texts, and knows which of them a
// kept record contains. Append may be called concurrently with itself, but with no other method.
type Grams struct {
	places []uint64 // hashes, as PlaceOf finds them; a power of two, at most half full; 0 means empty
	isKept []bool   // of places: a kept record contains the shingle
	marks  []uint64 // a bit for the first bits of each hash, so that most others need no look at places
	shift  int      // of a hash to its bit
}

// newGrams returns the Grams of these sets.
func newGrams(sets [][]uint64) *Grams {
	count := 0
	for _, set := range sets {
		count += len(set)
	}
	size := max(hashset.LeastPlaces, 1<<bits.Len(uint(2*count)))
	g := &Grams{
		places: make([]uint64, size), isKept: make([]bool, size),
		marks: make([]uint64, size/16), shift: 64 - bits.Len(uint(4*size-1)),
	}
	for _, set := range sets {
		for _, h := range set {
			h = notZero(h)
			g.places[hashset.PlaceOf(g.places, h)] = h
			g.marks[h>>g.shift/64] |= 1 << (h >> g.shift % 64)
		}
	}
	return g
}

// notZero returns the hash, or another one for 0, which means an empty place.
func notZero(h uint64) uint64 { return max(h, 1) }

// Append appends, for each of the hashes that a sampled record has, a word for Keep.
func (g *Grams) Append(dst, hashes []uint64) []uint64 {
	for _, h := range hashes {
		h = notZero(h)
		if bit := h >> g.shift; g.marks[bit/64]>>(bit%64)&1 == 0 {
			continue
		}
		if at := hashset.PlaceOf(g.places, h); g.places[at] == h {
			dst = append(dst, at)
		}
	}
	return dst
}

// keep notes that a kept record contains shingles, given as Append does.
func (g *Grams) keep(found []uint64) {
	for _, at := range found {
		g.isKept[at] = true
	}
}

// isLost reports whether a sampled record has the shingle and no kept record does.
func (g *Grams) isLost(h uint64) bool {
	h = notZero(h)
	at := hashset.PlaceOf(g.places, h)
	return g.places[at] == h && !g.isKept[at]
}

// AnyLost reports whether a sampled record has one of these shingles and no kept record does.
func (g *Grams) AnyLost(hashes []uint64) bool { return slices.ContainsFunc(hashes, g.isLost) }
