package signatures

import (
	"encoding/binary"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// groupSets stores the shingle sets of the entries in an unnamed file, since they are some twenty
// times as long as signatures. The places of the sets are a column like the others.
type groupSets struct {
	sets   memory.Sets
	places column
	place  [wordBytes]byte // scratch buffer

	first   []uint64 // the set of firstOf, which others are compared with
	firstOf int      // an entry, or -1
	second  []uint64 // scratch buffer

	packed [2][]uint64 // scratch: packed sets
	whole  wholeSets   // the same, unpacked
}

func newGroupSets() groupSets { return groupSets{places: column{size: wordBytes}, firstOf: -1} }

// add writes the set of the next entry, as it is in a sketch.
func (s *groupSets) add(set []uint64, dir string) error {
	log := s.sets.TemporaryLog(dir)
	log.BeginEntry()
	at := log.At()
	log.Words(set[1:])
	binary.LittleEndian.PutUint64(s.place[:], uint64(memory.PlaceOf(at, int(set[0]))))
	if err := s.places.add(s.place[:]); err != nil {
		return err
	}
	return log.EndEntry()
}

// placeOf returns the place of the set of an entry. Its length is 0 if the text has too many
// shingles for a set.
func (s *groupSets) placeOf(number int) (memory.SetPlace, error) {
	item, err := s.places.at(number, s.place[:])
	if err != nil {
		return 0, err
	}
	return memory.SetPlace(binary.LittleEndian.Uint64(item)), nil
}

// setOf returns the size of the set of an entry and its first words: those with the leading bits,
// or all. The slice is valid until the next call.
func (g *groupEntries) setOf(entry uint32, words func(size int) int) (size int, set []uint64, err error) {
	if entry < g.earlier.entries {
		packed, err := g.earlierAt(entry)
		if err != nil {
			return 0, nil, err
		}
		set := packed[g.params.PackedWords():]
		size = int(set[0])
		return size, set[1:][:words(size)], nil
	}
	place, err := g.sets.placeOf(int(entry - g.earlier.entries))
	if err != nil {
		return 0, nil, err
	}
	set, err = g.sets.sets.Of(place, words(place.Len()))
	return place.Len(), set, err
}

// appendSet appends the leading bits of the hashes in the set of an entry.
func (g *groupEntries) appendSet(dst []uint64, entry uint32) ([]uint64, error) {
	form := g.params.SetForm()
	size, words, err := g.setOf(entry, form.LeadingWords)
	if err != nil {
		return dst, err
	}
	return unpack(form, dst, size, words)
}

// hashesOf returns the number of hashes in the set of an entry.
func (g *groupEntries) hashesOf(entry uint32) (int, error) {
	if entry < g.earlier.entries {
		packed, err := g.earlierAt(entry)
		if err != nil {
			return 0, err
		}
		return int(packed[g.params.PackedWords()]), nil
	}
	place, err := g.sets.placeOf(int(entry - g.earlier.entries))
	return place.Len(), err
}

// compareSets calls do with the sets of two entries, and caches the first one.
func (g *groupEntries) compareSets(a, b uint32, do func(a, b []uint64)) (err error) {
	s := &g.sets
	if s.firstOf != int(a) {
		s.firstOf = -1
		if s.first, err = g.appendSet(s.first[:0], a); err != nil {
			return err
		}
		s.firstOf = int(a)
	}
	if s.second, err = g.appendSet(s.second[:0], b); err == nil {
		do(s.first, s.second)
	}
	return err
}

// similarBySets reports whether the sets of two entries, whose signatures agree in that many slots,
// are similar enough.
func (g *groupEntries) similarBySets(a, b uint32, agree int) (alike bool, err error) {
	ofA, err := g.hashesOf(a)
	if err != nil {
		return false, err
	}
	ofB, err := g.hashesOf(b)
	if err != nil || agree < g.params.plausible(ofA, ofB) {
		return false, err
	}
	similarity, err := g.mostOf(a, b, agree)
	if err == nil && similarity >= g.params.leastOfSets() {
		similarity, err = g.exactly(a, b, agree)
	}
	return err == nil && similarity >= g.params.leastOfSets(), err
}

// mostOf returns an upper bound for the similarity of two entries, whose signatures agree in that
// many slots, by the first parts of their sets. It rarely exceeds the similarity.
func (g *groupEntries) mostOf(a, b uint32, agree int) (similarity float64, err error) {
	similarity = g.params.similarity(agree)
	err = g.compareSets(a, b, func(a, b []uint64) {
		if len(a) > 0 && len(b) > 0 {
			similarity = g.params.ofSets(a, b)
		}
	})
	return similarity, err
}

// similarityOf returns the similarity of two entries: by their sets, or without sets by their
// signatures, which agree in that many slots.
func (g *groupEntries) similarityOf(a, b uint32, agree int) (similarity float64, err error) {
	if !g.params.Sets {
		return g.params.similarity(agree), nil
	}
	return g.exactly(a, b, agree)
}

// exactly returns the similarity of the sets of two entries by all bits of their hashes. If one of
// the sets is missing, it is an estimate.
func (g *groupEntries) exactly(a, b uint32, agree int) (similarity float64, err error) {
	s, form, sizes := &g.sets, g.params.SetForm(), [2]int{}
	for i, entry := range [2]uint32{a, b} {
		size, words, err := g.setOf(entry, form.Words)
		if err != nil {
			return 0, err
		}
		sizes[i], s.packed[i] = size, append(s.packed[i][:0], words...)
	}
	if sizes[0] == 0 || sizes[1] == 0 {
		return g.params.similarity(agree), nil
	}
	common, err := s.whole.common(form, sizes[0], s.packed[0], sizes[1], s.packed[1])
	return g.params.ofCommon(sizes[0], sizes[1], common), err
}
