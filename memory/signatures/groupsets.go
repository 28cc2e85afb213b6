package signatures

import (
	"encoding/binary"

	"github.com/mithril-stream/mithril-stream/memory"
)

// groupSets are the sets of shingles of the entries of groups: in a file without a name, since they
// are some twenty times as long as signatures. In memory, or in a file as all columns, is where
// each is.
type groupSets struct {
	sets   memory.Sets
	places column
	place  [wordBytes]byte // scratch

	first   []uint64 // of the entry in whose set others are looked for
	firstOf int      // that entry, or -1
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
	for _, hash := range set {
		log.Uint64(hash)
	}
	binary.LittleEndian.PutUint64(s.place[:], uint64(memory.PlaceOf(at, len(set))))
	if err := s.places.add(s.place[:]); err != nil {
		return err
	}
	return log.EndEntry()
}

// placeOf is where the set of an entry is. It has no hash if the text has too many.
func (s *groupSets) placeOf(entry uint32) (memory.SetPlace, error) {
	item, err := s.places.at(int(entry), s.place[:])
	if err != nil {
		return 0, err
	}
	return memory.SetPlace(binary.LittleEndian.Uint64(item)), nil
}

// compare hands over the sets of two entries. The first one is kept for the next time.
func (s *groupSets) compare(a, b uint32, do func(a, b []uint64)) error {
	if s.firstOf != int(a) {
		place, err := s.placeOf(a)
		if err != nil {
			return err
		}
		set, err := s.sets.Of(place)
		if err != nil {
			return err
		}
		s.first, s.firstOf = append(s.first[:0], set...), int(a)
	}
	place, err := s.placeOf(b)
	if err != nil {
		return err
	}
	set, err := s.sets.Of(place)
	if err != nil {
		return err
	}
	do(s.first, set)
	return nil
}

// alikeBySets reports whether the sets of two entries are similar enough, whose signatures have so
// many slots in common.
func (g *Groups) alikeBySets(a, b uint32, agree int) (alike bool, err error) {
	ofA, err := g.sets.placeOf(a)
	if err != nil {
		return false, err
	}
	ofB, err := g.sets.placeOf(b)
	if err != nil || agree < g.params.plausible(ofA.Len(), ofB.Len()) {
		return false, err
	}
	similarity, err := g.similarityOf(a, b, agree)
	return similarity >= g.params.leastOfSets(), err
}

// similarityOf is how similar two entries are: by their sets, or if there is none by their
// signatures, of which so many slots agree.
func (g *Groups) similarityOf(a, b uint32, agree int) (similarity float64, err error) {
	similarity = g.params.similarity(agree)
	if g.params.Sets {
		err = g.sets.compare(a, b, func(a, b []uint64) {
			if len(a) > 0 && len(b) > 0 {
				similarity = g.params.ofSets(a, b)
			}
		})
	}
	return similarity, err
}
