// Package hashset implements sets of hashes, to tell the hashes of a text that are new from those
// it had before.
package hashset

// A Set is a set of hashes in a table with linear probing. The zero value is ready to use. Only one
// goroutine may use it at a time.
type Set struct {
	places  []uint64 // a power of two, at most half full; 0 means empty
	count   int      // number of hashes in places
	hasZero bool
	spare   []uint64 // the previous, smaller table, or one of an earlier text
}

const (
	LeastPlaces = 1 << 10 // minimum size of a table
	mostPlaces  = 1 << 17 // maximum size kept from one text to the next
)

// Reset empties the set, and frees the memory of a huge text.
func (s *Set) Reset() {
	if s.count == 0 && !s.hasZero {
		return
	}
	if max(cap(s.places), cap(s.spare)) > mostPlaces {
		s.places, s.spare = nil, nil
	}
	s.places = s.places[:min(LeastPlaces, len(s.places))]
	clear(s.places)
	s.count, s.hasZero = 0, false
}

// AddNew adds hashes and returns those that are new, in place.
func (s *Set) AddNew(hashes []uint64) []uint64 {
	n := 0
	for _, h := range hashes {
		if s.Add(h) {
			hashes[n] = h
			n++
		}
	}
	return hashes[:n]
}

// Has reports whether a hash is in the set.
func (s *Set) Has(h uint64) bool {
	if h == 0 {
		return s.hasZero
	}
	return len(s.places) > 0 && s.places[PlaceOf(s.places, h)] == h
}

// Add adds a hash, and reports whether it is new.
func (s *Set) Add(h uint64) bool {
	if h == 0 {
		is := !s.hasZero
		s.hasZero = true
		return is
	}
	if 2*s.count >= len(s.places) {
		s.grow()
	}
	at := PlaceOf(s.places, h)
	if s.places[at] == h {
		return false
	}
	s.places[at] = h
	s.count++
	return true
}

// grow doubles the table.
func (s *Set) grow() {
	old, size := s.places, max(LeastPlaces, 2*len(s.places))
	if cap(s.spare) < size {
		s.spare = make([]uint64, size)
	}
	s.places = s.spare[:size]
	clear(s.places)
	for _, h := range old {
		if h != 0 {
			s.places[PlaceOf(s.places, h)] = h
		}
	}
	s.spare = old[:cap(old)]
}

// PlaceOf returns the index where a hash is, or belongs, in a table with linear probing.
func PlaceOf(places []uint64, h uint64) uint64 {
	mask := uint64(len(places) - 1)
	at := h & mask
	for places[at] != 0 && places[at] != h {
		at = (at + 1) & mask
	}
	return at
}
