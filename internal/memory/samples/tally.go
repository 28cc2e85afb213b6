package samples

// A tally sums, for each entry, the weights of the hashes it shares with the current record. Its
// memory grows with the entries that share any.
type tally struct {
	list   []shared
	places []uint32 // a hash table with linear probing: index in list + 1; 0 means empty
}

// shared is what an entry has in common with the current record.
type shared struct {
	entry  uint32
	count  uint32 // number of common hashes
	weight uint32 // their total weight
	at     uint32 // its index in places
}

const leastPlaces = 1 << 8

func (t *tally) reset() {
	for _, s := range t.list {
		t.places[s.at] = 0
	}
	t.list = t.list[:0]
	if len(t.places) > mostPlaces {
		t.places, t.list = nil, nil
	}
}

// mostPlaces is the size up to which places is reused for the next record.
const mostPlaces = 1 << 20

// add counts a hash of an entry.
func (t *tally) add(entry, weight uint32) {
	if 2*len(t.list) >= len(t.places) {
		t.grow()
	}
	at := t.place(entry)
	if i := t.places[at]; i > 0 {
		t.list[i-1].count++
		t.list[i-1].weight += weight
		return
	}
	t.list = append(t.list, shared{entry: entry, count: 1, weight: weight, at: at})
	t.places[at] = uint32(len(t.list))
}

// place returns the index where an entry is, or belongs.
func (t *tally) place(entry uint32) uint32 {
	mask := uint32(len(t.places) - 1)
	at := entry * 0x9e3779b1 >> 7 & mask
	for t.places[at] > 0 && t.list[t.places[at]-1].entry != entry {
		at = (at + 1) & mask
	}
	return at
}

func (t *tally) grow() {
	t.places = make([]uint32, max(leastPlaces, 2*len(t.places)))
	for i := range t.list {
		at := t.place(t.list[i].entry)
		t.list[i].at, t.places[at] = at, uint32(i+1)
	}
}
