package signatures

import (
	"encoding/binary"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Sets of shingles are what a signature stands for, and some twenty times as long.

// sets reads the sets of entries, and has the set of the record at hand.
type sets struct {
	memory.Sets
	own      []uint64        // of the record at hand
	restored memory.SetPlace // of the entry that is read from a log
	loaded   []uint64        // scratch of cut
}

// ofSets is the similarity of two sets.
func (p Params) ofSets(a, b []uint64) float64 {
	if p.Containment > 0 {
		return sketch.ContainmentOfSets(a, b)
	}
	return sketch.JaccardOfSets(a, b)
}

// leastOfSets is the least similarity of sets that makes a duplicate.
func (p Params) leastOfSets() float64 {
	if p.Containment > 0 {
		return p.Containment
	}
	return p.Threshold
}

// ofSets is the similarity of the record at hand and an entry with which it has so many slots in
// common: exact, unless one of them has too many shingles for a set.
func (x *Index) ofSets(c candidate) (float64, error) {
	if len(x.sets.own) == 0 || x.setLen(c) == 0 {
		return x.params.similarity(c.agree), nil
	}
	set, err := x.sets.Of(x.entries.setAt(c.entry))
	return x.params.ofSets(x.sets.own, set), err
}

func (x *Index) setLen(c candidate) int { return x.entries.setAt(c.entry).Len() }

// isPlausible reports whether the set of a candidate is to be read: others are far from what is
// asked, as their signatures say.
func (x *Index) isPlausible(c candidate) bool {
	return c.votes >= x.params.Votes && c.agree >= x.params.plausible(len(x.sets.own), x.setLen(c))
}

// matchOfSets says how similar a candidate is, and if it is the contained one that it is.
func (x *Index) matchOfSets(c candidate, similarity float64) memory.Match {
	m := x.match(c)
	m.Similarity = float32(similarity)
	m.Contains = x.params.Containment > 0 && x.setLen(c) > 0 && x.setLen(c) < len(x.sets.own)
	return m
}

// bestOfSets is best of an index with sets.
func (x *Index) bestOfSets() (best memory.Match, isCopy bool, err error) {
	most := -1.
	for _, c := range x.candidates() {
		if !x.isPlausible(c) {
			continue
		}
		similarity, err := x.ofSets(c)
		if err != nil {
			return best, false, err
		}
		if similarity > most && similarity >= x.params.leastOfSets() {
			most = similarity
			best = x.matchOfSets(c, similarity)
		}
		if similarity == 1 && x.isCopy(c) { // what is equal to it is one entry, the first
			return best, true, nil
		}
	}
	return best, false, nil
}

// isCopy reports whether a candidate of the similarity 1 is equal to the record at hand. A set that
// has another one in it may have the same signature.
func (x *Index) isCopy(c candidate) bool {
	isLonger := len(x.sets.own) > 0 && x.setLen(c) > 0 && len(x.sets.own) != x.setLen(c)
	return c.agree == x.params.NumPerm && !isLonger
}

// sizeOf is how many words the first of some sketches has. It may be more than there are.
func (p Params) sizeOf(sketches []uint64) int {
	size := p.SketchWords()
	switch {
	case !p.Sets:
		return size
	case len(sketches) <= size:
		return size + 1
	}
	return size + 1 + int(min(sketches[size], maxSketch))
}

const maxSketch = sketch.MaxSet + 1 // one more than there may be

// check refuses sketches that are not those of so many records.
func (p Params) check(sketches []uint64, records int) error {
	for range records {
		size := p.sizeOf(sketches)
		if len(sketches) < size {
			return memory.ErrSize
		}
		sketches = sketches[size:]
	}
	if len(sketches) > 0 {
		return memory.ErrSize
	}
	return nil
}

// cut makes the set that a payload begins with, from an offset of the log on, that of the record at
// hand, and returns what is after it.
func (s *sets) cut(payload []byte, at int64) (rest []byte, ok bool) {
	if len(payload) < 8 {
		return nil, false
	}
	count := binary.LittleEndian.Uint64(payload)
	if count > sketch.MaxSet || 8*count > uint64(len(payload)-8) {
		return nil, false
	}
	payload = payload[8:]
	s.restored = memory.PlaceOf(at+8, int(count))
	s.loaded = slices.Grow(s.loaded[:0], int(count))[:count]
	for i := range s.loaded {
		s.loaded[i] = binary.LittleEndian.Uint64(payload[8*i:])
	}
	s.own = s.loaded
	return payload[8*count:], true
}
