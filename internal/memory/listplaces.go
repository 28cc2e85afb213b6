package memory

import "math/bits"

// ListPlaces maps the entries that have something in common with a record to their places in a
// list. Nothing is cleared between two records: a slot counts only if it was set for the current
// one. The zero value is ready to use.
type ListPlaces struct {
	slots  []placeSlot // a hash table with linear probing, at most half full
	shift  int         // to a slot
	record uint32
	count  int
}

type placeSlot struct{ entry, place, record uint32 }

const (
	leastPlaces = 64
	mostPlaces  = 1 << 20 // slots that are reused for the next record
)

// Begin forgets all entries.
func (p *ListPlaces) Begin() {
	p.count = 0
	if p.record++; p.record == 0 || len(p.slots) > mostPlaces {
		p.slots, p.record = nil, 1
	}
}

// Place returns the place of an entry, which is the next one if the entry is new.
func (p *ListPlaces) Place(entry uint32) (place int, isNew bool) {
	if 2*p.count >= len(p.slots) {
		p.grow()
	}
	slot := p.find(entry)
	if slot.record == p.record {
		return int(slot.place), false
	}
	*slot = placeSlot{entry, uint32(p.count), p.record}
	p.count++
	return p.count - 1, true
}

// Find returns the place of an entry, if it has one.
func (p *ListPlaces) Find(entry uint32) (place int, ok bool) {
	if p.count == 0 {
		return 0, false
	}
	slot := p.find(entry)
	return int(slot.place), slot.record == p.record
}

// find returns the slot of an entry, or the free one where it belongs.
func (p *ListPlaces) find(entry uint32) *placeSlot {
	for at := int(entry * 0x9e3779b1 >> p.shift); ; at = (at + 1) & (len(p.slots) - 1) {
		if slot := &p.slots[at]; slot.record != p.record || slot.entry == entry {
			return slot
		}
	}
}

func (p *ListPlaces) grow() {
	old := p.slots
	p.slots = make([]placeSlot, max(leastPlaces, 2*len(old)))
	p.shift = 33 - bits.Len(uint(len(p.slots)))
	p.record = max(p.record, 1)
	for _, slot := range old {
		if slot.record == p.record {
			*p.find(slot.entry) = slot
		}
	}
}
