package overlap

import (
	"errors"
	"math"
	"math/bits"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Set is an exact Memory: it stores the keys, in 24 to 70 bytes each. It is not safe for
// concurrent use.
type Set struct{ keySet }

// NewSet returns an empty set.
func NewSet() *Set {
	s := new(Set)
	s.reset(1 << 10)
	return s
}

// Len returns the number of keys.
func (s *Set) Len() int { return len(s.keys) }

// Bytes returns the memory in use.
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

// A keySet is a set of keys that is reused. Keys are hashes, so their bits can index a table with
// open addressing.
type keySet struct {
	keys []stream.Key // in the order in which they were added
	// key numbers from 1; the length is a power of two, at least twice the number of keys
	slots []uint32
}

// fewKeys is the maximum number of keys for which reset makes space. Texts repeat themselves, so
// space for all possible keys would often be many times larger than needed.
const fewKeys = 1 << 16

// reset empties the set, and makes space for count keys, up to fewKeys.
func (s *keySet) reset(count int) {
	size := 2 << bits.Len(uint(min(count, fewKeys)))
	switch {
	case cap(s.slots) < size:
		s.slots = make([]uint32, size)
	// one large text should not keep its memory
	case cap(s.slots) > maxScratch && size <= maxScratch:
		s.slots, s.keys = make([]uint32, size), nil
	default:
		s.slots = s.slots[:size]
		clear(s.slots)
	}
	s.keys = s.keys[:0]
}

// find returns the slot of a key, or the free one where it belongs.
func (s *keySet) find(key stream.Key) int {
	mask := len(s.slots) - 1
	slot := int(key.Lo) & mask
	for s.slots[slot] != 0 && s.keys[s.slots[slot]-1] != key {
		slot = (slot + 1) & mask
	}
	return slot
}

func (s *keySet) has(key stream.Key) bool { return s.slots[s.find(key)] != 0 }

// add adds a key.
func (s *keySet) add(key stream.Key) {
	slot := s.find(key)
	if s.slots[slot] != 0 {
		return
	}
	s.keys = append(s.keys, key)
	if s.slots[slot] = uint32(len(s.keys)); 2*len(s.keys) > len(s.slots) {
		s.grow()
	}
}

// grow doubles the slots.
func (s *keySet) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	for i, key := range s.keys {
		s.slots[s.find(key)] = uint32(i + 1)
	}
}
