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
}

func newGroupSets() groupSets { return groupSets{places: column{size: wordBytes}, firstOf: -1} }

// add writes the set of the next entry.
func (s *groupSets) add(set []uint64, dir string) error {
	log, err := s.sets.TemporaryLog(dir)
	if err != nil {
		return err
	}
	log.BeginEntry()
	at := log.At()
	log.Words(set)
	binary.LittleEndian.PutUint64(s.place[:], uint64(memory.PlaceOf(at, len(set))))
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

// setOf returns the set of an entry. The slice is valid until the next call.
func (g *groupEntries) setOf(entry uint32) ([]uint64, error) {
	if entry < g.earlier.entries {
		packed, err := g.earlierAt(entry)
		if err != nil {
			return nil, err
		}
		return packed[g.params.packedKeys()+g.params.signatureWords()+1:], nil
	}
	place, err := g.sets.placeOf(int(entry - g.earlier.entries))
	if err != nil {
		return nil, err
	}
	return g.sets.sets.Of(place)
}

// hashesOf returns the number of hashes in the set of an entry.
func (g *groupEntries) hashesOf(entry uint32) (int, error) {
	if entry < g.earlier.entries {
		set, err := g.setOf(entry)
		return len(set), err
	}
	place, err := g.sets.placeOf(int(entry - g.earlier.entries))
	return place.Len(), err
}

// compareSets calls do with the sets of two entries, and caches the first one.
func (g *groupEntries) compareSets(a, b uint32, do func(a, b []uint64)) error {
	s := &g.sets
	if s.firstOf != int(a) {
		set, err := g.setOf(a)
		if err != nil {
			return err
		}
		s.first, s.firstOf = append(s.first[:0], set...), int(a)
	}
	set, err := g.setOf(b)
	if err != nil {
		return err
	}
	do(s.first, set)
	return nil
}

// alikeBySets reports whether the sets of two entries, whose signatures agree in that many slots,
// are similar enough.
func (g *groupEntries) alikeBySets(a, b uint32, agree int) (alike bool, err error) {
	ofA, err := g.hashesOf(a)
	if err != nil {
		return false, err
	}
	ofB, err := g.hashesOf(b)
	if err != nil || agree < g.params.plausible(ofA, ofB) {
		return false, err
	}
	similarity, err := g.similarityOf(a, b, agree)
	return similarity >= g.params.leastOfSets(), err
}

// similarityOf returns the similarity of two entries: by their sets, or without sets by their
// signatures, which agree in that many slots.
func (g *groupEntries) similarityOf(a, b uint32, agree int) (similarity float64, err error) {
	similarity = g.params.similarity(agree)
	if g.params.Sets {
		err = g.compareSets(a, b, func(a, b []uint64) {
			if len(a) > 0 && len(b) > 0 {
				similarity = g.params.ofSets(a, b)
			}
		})
	}
	return similarity, err
}
