package bloomlsh

import "slices"

// A tally counts the votes of one record by the groups that they are of.
type tally struct {
	groups    []groupVotes // by tag
	named     []uint16     // tags that have votes
	entries   []bandTag    // of the generations that limit what is inserted, by bands
	band      int          // that is being counted
	inTheBand []uint16     // tags that it names
	limits    bool         // entries are of such a generation
	present   bandSet      // bands that name any group
}

// groupVotes are the bands that name a group; those of them in which the record's key is not
// common; and the last one plus one, so that a band counts once.
type groupVotes struct{ votes, uncommon, band uint16 }

type bandTag struct{ band, tag uint16 }

func newTally(l tagLayout, bands int) *tally {
	return &tally{groups: make([]groupVotes, l.tags()+1), present: make(bandSet, setWords(bands))}
}

// begin forgets what was counted.
func (t *tally) begin() {
	for _, tag := range t.named {
		t.groups[tag] = groupVotes{}
	}
	clear(t.present)
	t.named, t.entries, t.inTheBand, t.band = t.named[:0], t.entries[:0], t.inTheBand[:0], 0
}

// add counts that the band names a group.
func (t *tally) add(tag uint16) {
	g := &t.groups[tag]
	if g.band == uint16(t.band)+1 {
		if t.limits && !slices.Contains(t.inBand(), bandTag{uint16(t.band), tag}) { // another generation named it
			t.entries = append(t.entries, bandTag{uint16(t.band), tag})
		}
		return
	}
	if t.limits {
		t.entries = append(t.entries, bandTag{uint16(t.band), tag})
	}
	if g.votes == 0 {
		t.named = append(t.named, tag)
	}
	g.votes++
	g.band = uint16(t.band) + 1
	t.inTheBand = append(t.inTheBand, tag)
	t.present.put(t.band)
}

// endBand is called when all tags of a band were counted.
func (t *tally) endBand() {
	if len(t.inTheBand) < tagHolders {
		for _, tag := range t.inTheBand {
			t.groups[tag].uncommon++
		}
	}
	t.inTheBand = t.inTheBand[:0]
}

// crowded notes that the page of the key is full, so that the key may be one for which it had no
// room.
func (t *tally) crowded() { t.present.put(t.band) }

// inBand are the entries of the band that is being counted.
func (t *tally) inBand() []bandTag {
	from := len(t.entries)
	for from > 0 && t.entries[from-1].band == uint16(t.band) {
		from--
	}
	return t.entries[from:]
}

// best is the group with the most votes, of those with so many by keys that are not common; of
// several the one with the lowest tag, whatever order they were found in.
func (t *tally) best(uncommon int) (tag uint16, votes int) {
	for _, named := range t.named {
		has := int(t.groups[named].votes)
		if int(t.groups[named].uncommon) < uncommon {
			continue
		}
		if has > votes || has == votes && named < tag {
			tag, votes = named, has
		}
	}
	return tag, votes
}
