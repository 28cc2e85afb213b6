package overlap

import (
	"errors"
	"math"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Set is a Memory that does not err: it holds the keys themselves, in 24 to 70 bytes each. It is
// not safe for concurrent use.
type Set struct{ keySet }

// NewSet returns an empty set.
func NewSet() *Set {
	s := new(Set)
	s.reset(1 << 10)
	return s
}

// Len is the number of keys.
func (s *Set) Len() int { return len(s.keys) }

// Bytes is how much memory it takes.
func (s *Set) Bytes() uint64 { return uint64(16*cap(s.keys) + 4*cap(s.slots)) }

// Observe implements Memory.
func (s *Set) Observe(keys []stream.Key, votes []uint16) (observed int, err error) {
	for i, key := range keys {
		votes[i] = 0
		if s.has(key) {
			votes[i] = 1
			continue
		}
		if len(s.keys) == math.MaxUint32 {
			return i, errors.New("the exact memory is full: leave --memory exact out")
		}
		if 2*len(s.keys) >= len(s.slots) {
			s.grow()
		}
		s.add(key)
	}
	return len(keys), nil
}

// Query implements Memory.
func (s *Set) Query(keys []stream.Key, votes []uint16) error {
	for i, key := range keys {
		votes[i] = 0
		if s.has(key) {
			votes[i] = 1
		}
	}
	return nil
}

// grow doubles the slots.
func (s *Set) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	for i, key := range s.keys {
		s.slots[s.find(key)] = uint32(i + 1)
	}
}
