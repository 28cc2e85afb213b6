package signatures

import (
	"encoding/binary"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A signature represents a set of shingles, which is some twenty times as long.

// sets reads the sets of entries, and holds the set of the current record.
type sets struct {
	memory.Sets
	own      []uint64        // of the current record
	restored memory.SetPlace // of the entry that is read from a log
	loaded   []uint64        // scratch of cut
}

// ofSets returns the similarity of two sets.
func (p Params) ofSets(a, b []uint64) float64 {
	if p.Containment > 0 {
		return sketch.ContainmentOfSets(a, b)
	}
	return sketch.JaccardOfSets(a, b)
}

// leastOfSets returns the minimum similarity of the sets of duplicates.
func (p Params) leastOfSets() float64 {
	if p.Containment > 0 {
		return p.Containment
	}
	return p.Threshold
}

// ofSets returns the similarity of the current record and a candidate: exact, unless one of them
// has too many shingles for a set.
func (x *Index) ofSets(c candidate) (float64, error) {
	if len(x.sets.own) == 0 || x.entries.setAt(c.entry).Len() == 0 {
		return x.params.similarity(c.agree), nil
	}
	set, err := x.sets.Of(x.entries.setAt(c.entry))
	return x.params.ofSets(x.sets.own, set), err
}

// isPlausible reports whether the set of a candidate is worth reading. The signatures of the others
// rule them out.
func (x *Index) isPlausible(c candidate) bool {
	size := x.entries.setAt(c.entry).Len()
	return c.votes >= x.params.Votes && c.agree >= x.params.plausible(len(x.sets.own), size)
}

// matchOfSets returns the Match for a candidate, with Contains set if the candidate is the
// contained record.
func (x *Index) matchOfSets(c candidate, similarity float64) memory.Match {
	m := x.match(c)
	m.Similarity = float32(similarity)
	size := x.entries.setAt(c.entry).Len()
	m.Contains = x.params.Containment > 0 && size > 0 && size < len(x.sets.own)
	return m
}

// bestOfSets is best for an index with sets.
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
		// equal records share an entry, so no later one is better
		if similarity == 1 && x.isCopy(c) {
			return best, true, nil
		}
	}
	return best, false, nil
}

// isCopy reports whether a candidate with similarity 1 equals the current record. A set that
// contains another may have the same signature.
func (x *Index) isCopy(c candidate) bool {
	size := x.entries.setAt(c.entry).Len()
	isLonger := len(x.sets.own) > 0 && size > 0 && len(x.sets.own) != size
	return c.agree == x.params.NumPerm && !isLonger
}

// sizeOf returns the number of words that the first sketch claims, which may be more than there
// are.
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

// check returns an error unless sketches holds exactly that many sketches.
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

// cut reads the set at the start of payload, at offset at of the log, as that of the current
// record. It returns the rest.
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
