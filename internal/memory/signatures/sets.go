package signatures

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/packedset"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A signature represents a set of shingles, which is about ten times as long even if packed. In a
// sketch the number of shingles and the words of the packed set follow the signature.

// sets reads the sets of entries, and holds the set of the current record.
type sets struct {
	memory.Sets
	own      ownSet
	other    []uint64        // scratch: the hashes of an entry
	whole    wholeSets       // scratch of exactly
	parities parities        // of the sets in a crowd
	restored memory.SetPlace // of the entry that is read from a log
	loaded   []uint64        // scratch of cut
}

// An ownSet is the packed set of a sketch, whose hashes are unpacked when they are needed.
type ownSet struct {
	size       int // number of hashes; 0 if the text has too many for a set
	words      []uint64
	hashes     []uint64
	isUnpacked bool
}

// set sets s to what follows the signature in a sketch.
func (s *ownSet) set(words []uint64) {
	s.size, s.words, s.isUnpacked = int(words[0]), words[1:], false
}

// unpacked returns the leading bits of the hashes of the set.
func (s *ownSet) unpacked(form packedset.Form) ([]uint64, error) {
	if s.isUnpacked {
		return s.hashes, nil
	}
	var err error
	s.hashes, err = unpack(form, s.hashes[:0], s.size, s.words)
	s.isUnpacked = err == nil
	return s.hashes, err
}

// unpack appends the hashes of a set with the bits that its first part keeps.
func unpack(form packedset.Form, dst []uint64, size int, words []uint64) ([]uint64, error) {
	hashes, ok := form.AppendHashes(dst, size, words[:form.LeadingWords(size)])
	if !ok {
		return dst, fmt.Errorf("%w: a set cannot have %d shingles", memory.ErrCorrupt, size)
	}
	return hashes, nil
}

// wholeSets holds scratch buffers for two sets with all bits that are kept.
type wholeSets struct{ a, b []uint64 }

// common returns the number of common hashes of two packed sets, neither of them empty, by all
// bits that are kept.
func (s *wholeSets) common(form packedset.Form, n int, a []uint64, m int, b []uint64) (common int, err error) {
	if n == m && slices.Equal(a, b) {
		return n, nil
	}
	if s.a, err = unpack(form, s.a[:0], n, a); err != nil {
		return 0, err
	}
	if s.b, err = unpack(form, s.b[:0], m, b); err != nil {
		return 0, err
	}
	form.AddFurther(s.a, a[form.LeadingWords(n):])
	form.AddFurther(s.b, b[form.LeadingWords(m):])
	return form.CommonExactly(s.a, s.b), nil
}

// SetForm returns the form of the sets in sketches.
func (p Params) SetForm() packedset.Form {
	if p.Containment > 0 {
		return packedset.Contained
	}
	return packedset.Similar
}

// SlotBitsWithSets returns the number of bits to keep of each slot where sets decide: as many as
// make a signature of numPerm slots at most 32 bytes long, but at least one. That is enough to
// leave out most candidates whose sets are far from similar.
func SlotBitsWithSets(numPerm int) int {
	bits := 8
	for bits > 1 && bits*numPerm > 256 {
		bits /= 2
	}
	return bits
}

// PackSet packs the set that ends a sketch of sketch.SignedSet, in place, and returns the shorter
// sketch. at is the index of its first hash.
func PackSet(form packedset.Form, words []uint64, at int) []uint64 {
	end := len(words)
	words = form.Append(words, words[at:])
	return words[:at+copy(words[at:], words[end:])]
}

// ofSets returns the similarity of two unpacked sets.
func (p Params) ofSets(a, b []uint64) float64 {
	return p.ofCommon(len(a), len(b), p.SetForm().Common(a, b))
}

// ofCommon returns the similarity of sets of n and m hashes, given the number of common ones.
func (p Params) ofCommon(n, m, common int) float64 {
	if p.Containment > 0 {
		return packedset.Containment(n, m, common)
	}
	return packedset.Jaccard(n, m, common)
}

// leastOfSets returns the minimum similarity of the sets of duplicates.
func (p Params) leastOfSets() float64 {
	if p.Containment > 0 {
		return p.Containment
	}
	return p.Threshold
}

// hasSets reports whether both the current record and a candidate have a set. A text with too many
// shingles has none.
func (x *Index) hasSets(c candidate) bool {
	return x.sets.own.size > 0 && x.entries.setAt(c.entry).Len() > 0
}

// mostOf returns an upper bound for the similarity of the current record and a candidate, by the
// first parts of their sets. It rarely exceeds the similarity. Without sets it is an estimate.
func (x *Index) mostOf(c candidate) (float64, error) {
	if !x.hasSets(c) {
		return x.params.similarity(c.agree), nil
	}
	own, err := x.sets.own.unpacked(x.params.SetForm())
	if err != nil {
		return 0, err
	}
	other, err := crowd{x}.hashesOf(c.entry)
	if err != nil {
		return 0, err
	}
	return x.params.ofSets(own, other), nil
}

// exactly returns the similarity of the current record and a candidate, by all bits of the hashes
// in their sets. Without sets it is an estimate.
func (x *Index) exactly(c candidate) (float64, error) {
	if !x.hasSets(c) {
		return x.params.similarity(c.agree), nil
	}
	own, at, form := &x.sets.own, x.entries.setAt(c.entry), x.params.SetForm()
	words, err := x.sets.Of(at, form.Words(at.Len()))
	if err != nil {
		return 0, err
	}
	common, err := x.sets.whole.common(form, own.size, own.words[:form.Words(own.size)], at.Len(), words)
	return x.params.ofCommon(own.size, at.Len(), common), err
}

// isPlausible reports whether the set of a candidate is worth reading. The sizes or the signatures
// of the others rule them out.
func (x *Index) isPlausible(c candidate) bool {
	size := x.entries.setAt(c.entry).Len()
	return c.votes >= x.params.Votes && c.agree >= x.params.plausible(x.sets.own.size, size)
}

// matchOfSets returns the Match for a candidate, with Contains set if the candidate is the
// contained record.
func (x *Index) matchOfSets(c candidate, similarity float64) memory.Match {
	m := x.match(c)
	m.Similarity = float32(similarity)
	size := x.entries.setAt(c.entry).Len()
	m.Contains = x.params.Containment > 0 && size > 0 && size < x.sets.own.size
	return m
}

// mostOfSets bounds the sets read for a record once one makes it a duplicate. Bounds for their
// similarity are so good that a more similar one rarely follows.
const mostOfSets = 32

// bestOfSets is best for an index with sets. It compares the candidates in descending order of
// bounds for their similarity, as long as they may be better. A candidate that is the best by the
// first part of its set is compared again by all bits, so that no falsely common hash decides.
func (x *Index) bestOfSets() (best memory.Match, isCopy bool, err error) {
	candidates := slices.DeleteFunc(x.candidates(), func(c candidate) bool { return !x.isPlausible(c) })
	if len(candidates) > fewCandidates {
		if err := (crowd{x}).bound(candidates); err != nil {
			return best, false, err
		}
	}
	most := x.params.leastOfSets()
	for read := 0; best.Record == 0 || read < mostOfSets; read++ {
		var c candidate
		var ok bool
		if c, candidates, ok = takeNext(candidates, most); !ok {
			break
		}
		similarity, err := x.mostOf(c)
		if err == nil && similarity >= most {
			similarity, err = x.exactly(c)
		}
		if err != nil {
			return best, false, err
		}
		number := x.entries.number(c.entry)
		if similarity > most || similarity == most && (best.Record == 0 || number < best.Record) {
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
	isLonger := x.sets.own.size > 0 && size > 0 && x.sets.own.size != size
	return c.agree == x.params.NumPerm && !isLonger
}

// sizeOf returns the number of words of the first sketch by its own account. There may be fewer.
func (r *rule) sizeOf(sketches []uint64) int {
	switch {
	case !r.params.Sets:
		return r.words
	case len(sketches) <= r.words:
		return r.words + 1
	case sketches[r.words] > sketch.MaxSet:
		return math.MaxInt
	}
	return r.words + 1 + r.params.SetForm().Words(int(sketches[r.words]))
}

// checkSize returns an error unless sketches holds exactly that many sketches.
func (r *rule) checkSize(sketches []uint64, records int) error {
	for range records {
		size := r.sizeOf(sketches)
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
// record. It returns the rest, and whether the record was a near copy.
func (s *sets) cut(payload []byte, at int64, form packedset.Form) (rest []byte, isNear, ok bool) {
	if len(payload) < 8 {
		return nil, false, false
	}
	size := binary.LittleEndian.Uint64(payload)
	isNear = size&nearFlag != 0
	if size &^= nearFlag; size > sketch.MaxSet {
		return nil, false, false
	}
	words := 1 + form.Words(int(size))
	if words > len(payload)/8 {
		return nil, false, false
	}
	s.restored = memory.PlaceOf(at+8, int(size))
	s.loaded = slices.Grow(s.loaded[:0], words)[:words]
	for i := range s.loaded {
		s.loaded[i] = binary.LittleEndian.Uint64(payload[8*i:])
	}
	s.loaded[0] = size
	s.own.set(s.loaded)
	return payload[8*words:], isNear, true
}
