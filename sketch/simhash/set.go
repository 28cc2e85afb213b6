package simhash

// A set is the hashes that were seen in a text, in a table with linear probing. 0 stands for an
// empty place in it.
type set struct {
	places  []uint64 // a power of two, at most half of them taken
	count   int
	hasZero bool
	spare   []uint64 // of the size before, or of an earlier text
}

const (
	leastPlaces = 1 << 10
	mostPlaces  = 1 << 17 // that are kept from one text to the next
)

// reset empties the set, and lets go of memory that a huge text needed.
func (s *set) reset() {
	if s.count == 0 && !s.hasZero {
		return
	}
	if max(cap(s.places), cap(s.spare)) > mostPlaces {
		s.places, s.spare = nil, nil
	}
	s.places = s.places[:min(leastPlaces, len(s.places))]
	clear(s.places)
	s.count, s.hasZero = 0, false
}

// addNew adds hashes and returns those that are new, in place.
func (s *set) addNew(hashes []uint64) []uint64 {
	n := 0
	for _, h := range hashes {
		if s.isNew(h) {
			hashes[n] = h
			n++
		}
	}
	return hashes[:n]
}

func (s *set) isNew(h uint64) bool {
	if h == 0 {
		is := !s.hasZero
		s.hasZero = true
		return is
	}
	if 2*s.count >= len(s.places) {
		s.grow()
	}
	at := placeOf(s.places, h)
	if s.places[at] == h {
		return false
	}
	s.places[at] = h
	s.count++
	return true
}

// grow doubles the places.
func (s *set) grow() {
	old, size := s.places, max(leastPlaces, 2*len(s.places))
	if cap(s.spare) < size {
		s.spare = make([]uint64, size)
	}
	s.places = s.spare[:size]
	clear(s.places)
	for _, h := range old {
		if h != 0 {
			s.places[placeOf(s.places, h)] = h
		}
	}
	s.spare = old[:cap(old)]
}
