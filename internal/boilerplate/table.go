package boilerplate

// A Table is the parts that are boilerplate. It does not change, so goroutines may share it.
type Table struct {
	unit    Unit
	entries []Entry
	keys    []uint64 // of the entries

	slots []uint64 // an open hash table of the keys; 0 is a free slot
	at    []uint32 // the entry of each slot
}

// An Entry is a part of the pages of a site.
type Entry struct {
	Records uint64 // pages that have it
	Of      uint64 // pages of the site
}

// tableBytes is the memory of an entry, at most: it is in one of four slots or fewer.
const tableBytes = 16 + 8 + 4*(8+4)

// build makes the entries findable.
func (t *Table) build() {
	size := 4
	for size < 2*len(t.keys) {
		size *= 2
	}
	t.slots, t.at = make([]uint64, size), make([]uint32, size)
	for i, key := range t.keys {
		slot := key & uint64(size-1)
		for t.slots[slot] != 0 {
			slot = (slot + 1) & uint64(size-1)
		}
		t.slots[slot], t.at[slot] = key, uint32(i)
	}
}

// find returns the entry of a key, or -1.
func (t *Table) find(key uint64) int {
	mask := uint64(len(t.slots) - 1)
	for slot := key & mask; t.slots[slot] != 0; slot = (slot + 1) & mask {
		if t.slots[slot] == key {
			return int(t.at[slot])
		}
	}
	return -1
}

// Len is the number of parts that are boilerplate, each site's counted for itself.
func (t *Table) Len() int { return len(t.entries) }

// Entry returns an entry by its number.
func (t *Table) Entry(i int) Entry { return t.entries[i] }
