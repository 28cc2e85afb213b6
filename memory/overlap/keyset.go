package overlap

import (
	"math/bits"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A keySet is a set of keys that is emptied again and again. The keys are hashes, so that their
// bits are good enough for a table with open addressing.
type keySet struct {
	keys  []stream.Key // in the order in which they were added
	slots []uint32     // numbers of keys, from 1; as many as two to a power, at least twice the keys
}

// reset empties the set, and makes room for so many keys.
func (s *keySet) reset(count int) {
	size := 2 << bits.Len(uint(count))
	switch {
	case cap(s.slots) < size:
		s.slots = make([]uint32, size)
	case cap(s.slots) > maxScratch && size <= maxScratch: // one large text should not keep its memory
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

// add adds a key for which there is room.
func (s *keySet) add(key stream.Key) {
	if slot := s.find(key); s.slots[slot] == 0 {
		s.keys = append(s.keys, key)
		s.slots[slot] = uint32(len(s.keys))
	}
}
