package bloomlsh

import (
	"math/bits"
	"slices"
)

// A tally counts the votes for one record by group.
type tally struct {
	groups    []groupVotes // by tag
	named     []uint16     // tags that have votes
	entries   []bandTag    // entries in the generations that limit what is inserted, by band
	band      int          // the band being counted
	inTheBand []uint16     // tags that the band names
	here      []uint16     // those in the generation being counted
	again     int          // repeated entries of the band in a generation
	wear      []bandWear   // bands with repeated entries
	worn      []bandTag    // tags that bands name by worn keys
	limits    bool         // the entries being counted are in such a generation
	present   bandSet      // bands that name any group
	full      bool         // the page of a key is full
	hits      []tagHit     // scratch of addLine
}

// groupVotes holds the number of bands that name a group; of those in which the record's key is not
// common; of those in which it is worn; and the last such band plus one, so that a band counts
// once.
type groupVotes struct{ votes, uncommon, worn, band uint16 }

type bandTag struct{ band, tag uint16 }

// bandWear holds the number of repeated entries of a band's key.
type bandWear struct{ band, again uint16 }

func newTally(l tagLayout, bands int) *tally {
	return &tally{groups: make([]groupVotes, l.tags()+1), present: make(bandSet, setWords(bands))}
}

// reset discards all counts.
func (t *tally) reset() {
	for _, tag := range t.named {
		t.groups[tag] = groupVotes{}
	}
	clear(t.present)
	t.named, t.entries, t.inTheBand, t.band = t.named[:0], t.entries[:0], t.inTheBand[:0], 0
	t.here, t.again, t.wear, t.worn = t.here[:0], 0, t.wear[:0], t.worn[:0]
	t.full = false
}

// add records that the band names a group.
func (t *tally) add(tag uint16) {
	g := &t.groups[tag]
	if g.band == uint16(t.band)+1 {
		t.addAgain(tag)
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
	t.here = append(t.here, tag)
	t.present.put(t.band)
}

// addAgain is add for a group that the band has already named.
func (t *tally) addAgain(tag uint16) {
	if slices.Contains(t.here, tag) {
		t.again++
		return
	}
	t.here = append(t.here, tag)
	if t.limits && !slices.Contains(t.inBand(), bandTag{uint16(t.band), tag}) {
		t.entries = append(t.entries, bandTag{uint16(t.band), tag})
	}
}

// nextGeneration must be called between the generations of a band.
func (t *tally) nextGeneration() { t.here = t.here[:0] }

// endBand must be called after all tags of a band were counted.
func (t *tally) endBand() {
	if t.again > 0 {
		t.wear = append(t.wear, bandWear{uint16(t.band), uint16(min(t.again, wornAt))})
		for _, tag := range t.inTheBand {
			if t.again >= wornAt {
				t.worn = append(t.worn, bandTag{uint16(t.band), tag})
			}
		}
		t.again = 0
	}
	if len(t.inTheBand) < tagHolders {
		for _, tag := range t.inTheBand {
			t.groups[tag].uncommon++
		}
	}
	t.inTheBand, t.here = t.inTheBand[:0], t.here[:0]
}

// wearOf returns the number of repeated entries of a band's key, at most wornAt.
func (t *tally) wearOf(band int) int {
	for _, w := range t.wear {
		if int(w.band) == band {
			return int(w.again)
		}
	}
	return 0
}

// addTable counts the tags of a record's keys in a table, if there is only one.
func (t *tally) addTable(table *tagTable, hits []tagHit) {
	for i, hit := range hits {
		t.band = int(hit.band)
		t.addHit(table, hit)
		if i+1 == len(hits) || hits[i+1].band != hit.band {
			t.endBand()
		}
	}
}

// addHit counts the tags of the entries that a line contains for the band's key.
func (t *tally) addHit(table *tagTable, hit tagHit) {
	if hit.entries == 0 {
		t.crowded()
	}
	for rest := hit.entries; rest != 0; rest &= rest - 1 {
		t.add(table.tagIn(table.entry(hit.word, bits.TrailingZeros32(rest))))
	}
}

// addLine counts the tags of a single key.
func (t *tally) addLine(table *tagTable, line pagedLine) {
	var places [1]uint64
	t.hits = table.lookupLines(t.hits[:0], places[:], []pagedLine{line})
	for _, hit := range t.hits {
		t.addHit(table, hit)
	}
}

// crowded records that the page of the key is full, so that there may have been no space for the
// key.
func (t *tally) crowded() {
	t.present.put(t.band)
	t.full = true
}

// inBand returns the entries of the band being counted.
func (t *tally) inBand() []bandTag {
	from := len(t.entries)
	for from > 0 && t.entries[from-1].band == uint16(t.band) {
		from--
	}
	return t.entries[from:]
}

// best returns the group with the most votes among those that a rule accepts. Among equals, it
// returns the one with the lowest tag, regardless of the order in which they were found.
func (t *tally) best(r groupRule) (tag uint16, votes int) {
	for _, named := range t.named {
		g := t.groups[named]
		if has := int(g.votes); (has > votes || has == votes && named < tag) && r.accepts(g) {
			tag, votes = named, has
		}
	}
	return tag, votes
}
