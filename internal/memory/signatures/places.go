package signatures

import "math/bits"

// places maps a few entries to their places in a list. Nothing is cleared between two records: a
// slot counts only if it was set for the current one.
type places struct {
	slots  []placeSlot
	record uint32
	shift  int // to a slot
}

type placeSlot struct{ entry, place, record uint32 }

const leastPlaces = 64

// begin forgets all entries, and makes space for that many.
func (p *places) begin(entries int) {
	p.record++
	if 2*entries <= len(p.slots) && p.record != 0 {
		return
	}
	order := bits.Len(uint(max(leastPlaces, len(p.slots), 2*entries) - 1))
	p.slots, p.record, p.shift = make([]placeSlot, 1<<order), 1, 32-order
}

// place returns the place of an entry, which is next if the entry is new.
func (p *places) place(entry uint32, next int) (place int, isNew bool) {
	for at := int(entry * 0x9e3779b1 >> p.shift); ; at = (at + 1) & (len(p.slots) - 1) {
		switch slot := &p.slots[at]; {
		case slot.record != p.record:
			*slot = placeSlot{entry, uint32(next), p.record}
			return next, true
		case slot.entry == entry:
			return int(slot.place), false
		}
	}
}
