package bloomlsh

import (
	"math/bits"
	"slices"
)

// An insertion is a record on its way into a generation.
type insertion struct {
	generation *generation
	keys       []Key
	lines      []pagedLine
	places     []uint64    // free places for its entries in the generation's table, if known
	crowded    bool        // one of the entries has no place
	next       []pagedLine // lines to prefetch
	entries    []bandTag   // entries of the record's bands
	held       bandSet     // bands that have no place for another group
	group      uint16
	votes      int // votes by which the record joins the group; 0 if it founds it
	scratch    bandSet
}

// lacks sets the bands in which the group must be entered, and returns how many already name it.
func (e *insertion) lacks(set bandSet) (has int) {
	set.fill(len(e.keys))
	for i, held := range e.held {
		set[i] &^= held
	}
	for _, named := range e.entries {
		if named.tag == e.group && !named.isOld {
			has++
			set.remove(int(named.band))
		}
	}
	return has
}

// has reports whether a band names the group.
func (e *insertion) has(band int) bool {
	return slices.Contains(e.entries, bandTag{band: uint16(band), tag: e.group})
}

// add stores an entry in each band of a set, and removes those bands from it for which there is no
// space.
func (e *insertion) add(l *tagLayout, set bandSet) (entered, lost int) {
	if e.places == nil {
		lost = e.addEach(l, set)
		return set.count(), lost
	}
	for i, word := range set {
		for ; word != 0 && e.crowded; word &= word - 1 {
			if e.places[64*i+bits.TrailingZeros64(word)] == noPlace {
				set[i] &^= word & -word
				lost++
			}
		}
	}
	t, lines := e.generation.tags, e.lines
	if first := e.generation.firstTags; first != nil {
		t, lines = &first.tagTable, first.own
		first.noteHomes(e.places, e.lines, set)
	}
	if !t.isFar {
		t.putAll(e.places, lines, e.next, set, e.group)
		return set.count(), lost
	}
	near := append(e.scratch[:0], set...)
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			band := 64*i + bits.TrailingZeros64(word)
			if place := e.places[band]; place&isBeyond != 0 {
				near[i] &^= word & -word
				t.putBeyond(place&^isBeyond, lines[band].word, l.entryOf(lines[band].bits, e.group))
			}
		}
	}
	t.putAll(e.places, lines, e.next, near, e.group)
	return set.count(), lost
}

// addEach is like add for unknown places. It returns the number of bands without space.
func (e *insertion) addEach(l *tagLayout, set bandSet) (lost int) {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			line := e.lines[64*i+bits.TrailingZeros64(word)]
			if !e.generation.addTag(line, l.entryOf(line.bits, e.group)) {
				set[i] &^= word & -word
				lost++
			}
		}
	}
	return lost
}
