package bloomlsh

import "math/bits"

// insertion is a record on its way into a generation.
type insertion struct {
	generation *generation
	keys       []Key
	lines      []pagedLine
	places     []uint64    // where the generation's table has space for the entries, if known
	crowded    bool        // one of them has none
	next       []pagedLine // lines to be prefetched
	entries    []bandTag   // that the record's bands have
	group      uint16
}

// lacks sets the bands that the group is to be entered in, and returns how many name it already.
func (e *insertion) lacks(set bandSet) (has int) {
	set.fill(len(e.keys))
	for rest := e.entries; len(rest) > 0; {
		band, holders, held := rest[0].band, 0, false
		for len(rest) > 0 && rest[0].band == band {
			holders++
			held = held || rest[0].tag == e.group
			rest = rest[1:]
		}
		if held {
			has++
		}
		if held || holders >= tagHolders {
			set[band/64] &^= 1 << (band % 64)
		}
	}
	return has
}

// add stores an entry in each band of a set, and takes those bands out of it that have no room.
func (e *insertion) add(l tagLayout, set bandSet) (entered, lost int) {
	if e.places != nil {
		for i, word := range set {
			for ; word != 0 && e.crowded; word &= word - 1 {
				if e.places[64*i+bits.TrailingZeros64(word)] == noPlace {
					set[i] &^= word & -word
					lost++
				}
			}
		}
		e.generation.tags.putAll(e.places, e.lines, e.next, set, e.group)
		return set.count(), lost
	}
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			line := e.lines[64*i+bits.TrailingZeros64(word)]
			if !e.generation.addTag(line, l.entryOf(line.bits, e.group)) {
				set[i] &^= word & -word
				lost++
			}
		}
	}
	return set.count(), lost
}
