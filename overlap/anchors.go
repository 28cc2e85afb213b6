package overlap

import (
	"cmp"
	"math/bits"
	"slices"
)

// A posting is where an anchor stands in the items.
type posting struct {
	key  uint64
	item uint32
	at   uint32 // its first word there
}

// An anchorTable finds the items that have some words in a row. Most words of a text are in none,
// so that a table of bits, which fits in a cache, is asked first.
type anchorTable struct {
	length   int
	leaving  uint64 // what the hash of the word counts that leaves an anchor as it moves on
	filter   []uint64
	slots    []anchorSlot
	postings []posting // by key
}

type anchorSlot struct {
	key      uint64
	from, to uint32 // in postings; to is 0 where a slot is free
}

// anchorFactor is that of the polynomial of hashes that is the key of an anchor, so that the next
// key follows from the one before.
const anchorFactor = 0x9e3779b97f4a7c15

// anchorKey is the key of words in a row.
func anchorKey(words []uint64) (key uint64) {
	for _, w := range words {
		key = key*anchorFactor + w
	}
	return key
}

// spreadKey makes all bits of a key depend on each other.
func spreadKey(key uint64) uint64 {
	key = (key ^ key>>32) * 0xbf58476d1ce4e5b9
	return key ^ key>>29
}

func newAnchorTable(length int, postings []posting) *anchorTable {
	postings = slices.Clone(postings)
	slices.SortFunc(postings, func(a, b posting) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.item, b.item), cmp.Compare(a.at, b.at))
	})
	size := 2 << bits.Len(uint(len(postings)))
	t := &anchorTable{
		length: length, leaving: 1, postings: postings,
		filter: make([]uint64, max(1, size*8/64)), slots: make([]anchorSlot, size),
	}
	for range length {
		t.leaving *= anchorFactor
	}
	for from := 0; from < len(postings); {
		to := from
		for to < len(postings) && postings[to].key == postings[from].key {
			to++
		}
		key := spreadKey(postings[from].key)
		t.filter[t.bit(key)/64] |= 1 << (t.bit(key) % 64)
		slot := key & uint64(size-1)
		for t.slots[slot].to != 0 {
			slot = (slot + 1) & uint64(size-1)
		}
		t.slots[slot] = anchorSlot{key, uint32(from), uint32(to)}
		from = to
	}
	return t
}

// bit is that of a key in the filter, from its high bits.
func (t *anchorTable) bit(key uint64) uint64 {
	bit, _ := bits.Mul64(key, uint64(len(t.filter))*64)
	return bit
}

// find returns where the anchor of that key stands.
func (t *anchorTable) find(key uint64) []posting {
	key = spreadKey(key)
	bit := t.bit(key)
	if t.filter[bit/64]>>(bit%64)&1 == 0 {
		return nil
	}
	mask := uint64(len(t.slots) - 1)
	for slot := key & mask; t.slots[slot].to != 0; slot = (slot + 1) & mask {
		if s := t.slots[slot]; s.key == key {
			return t.postings[s.from:s.to]
		}
	}
	return nil
}
