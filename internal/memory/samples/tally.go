package samples

// A tally says what the hashes of the record at hand that each entry has weigh. It takes memory for
// as many entries as share one with a record.
type tally struct {
	list   []shared
	places []uint32 // a hash table with linear probing: 1 + the place in list; 0 is empty
}

// shared is what an entry has in common with the record at hand.
type shared struct {
	entry  uint32
	count  uint32 // of hashes
	weight uint32 // of these together
	at     uint32 // its place in places
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

// mostPlaces are kept from one record to the next.
const mostPlaces = 1 << 20

// add takes in a hash of an entry.
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

// place returns where an entry is, or belongs.
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
