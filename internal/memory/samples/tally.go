package samples

import "github.com/mithril-stream/mithril-stream/internal/memory"

// A tally sums, for each entry, the weights of the hashes it shares with the current record. Its
// memory grows with the entries that share any.
type tally struct {
	list   []shared
	places memory.ListPlaces // of entries in list
}

// shared is what an entry has in common with the current record.
type shared struct {
	entry  uint32
	count  uint32 // number of common hashes
	weight uint32 // their total weight
}

// mostShared is the capacity up to which list is reused for the next record.
const mostShared = 1 << 19

func (t *tally) reset() {
	t.places.Begin()
	if t.list = t.list[:0]; cap(t.list) > mostShared {
		t.list = nil
	}
}

// add counts a hash of an entry.
func (t *tally) add(entry, weight uint32) {
	at, isNew := t.places.Place(entry)
	if isNew {
		t.list = append(t.list, shared{entry: entry})
	}
	t.list[at].count++
	t.list[at].weight += weight
}
