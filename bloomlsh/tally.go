package bloomlsh

import (
	"math/bits"
	"slices"
)

// A tally counts the votes of one record by the groups that they are of.
type tally struct {
	groups    []groupVotes // by tag
	named     []uint16     // tags that have votes
	entries   []bandTag    // of the generations that limit what is inserted, by bands
	band      int          // that is being counted
	inTheBand []uint16     // tags that it names
	here      []uint16     // of these, those of the generation that is being counted
	again     int          // entries of the band that a generation has more than once
	wear      []bandWear   // bands with such entries
	worn      []bandTag    // what bands name by worn keys
	limits    bool         // entries are of such a generation
	present   bandSet      // bands that name any group
	full      bool         // the page of a key is full
	hits      []tagHit     // scratch of addLine
}

// groupVotes are the bands that name a group; those of them in which the record's key is not
// common, and in which it is worn; and the last one plus one, so that a band counts once.
type groupVotes struct{ votes, uncommon, worn, band uint16 }

type bandTag struct{ band, tag uint16 }

// bandWear is how many entries of a band's key are there again.
type bandWear struct{ band, again uint16 }

func newTally(l tagLayout, bands int) *tally {
	return &tally{groups: make([]groupVotes, l.tags()+1), present: make(bandSet, setWords(bands))}
}

// reset forgets what was counted.
func (t *tally) reset() {
	for _, tag := range t.named {
		t.groups[tag] = groupVotes{}
	}
	clear(t.present)
	t.named, t.entries, t.inTheBand, t.band = t.named[:0], t.entries[:0], t.inTheBand[:0], 0
	t.here, t.again, t.wear, t.worn = t.here[:0], 0, t.wear[:0], t.worn[:0]
	t.full = false
}

// add counts that the band names a group.
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

// addAgain is add for a group that the band has named already.
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

// nextGeneration is called between the generations of a band.
func (t *tally) nextGeneration() { t.here = t.here[:0] }

// endBand is called when all tags of a band were counted.
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

// wearOf is how many entries of a band's key are there again, up to wornAt.
func (t *tally) wearOf(band int) int {
	for _, w := range t.wear {
		if int(w.band) == band {
			return int(w.again)
		}
	}
	return 0
}

// addTable counts the tags of a record's keys in a table, which are all that there are.
func (t *tally) addTable(table *tagTable, hits []tagHit) {
	for i, hit := range hits {
		t.band = int(hit.band)
		t.addHit(table, hit)
		if i+1 == len(hits) || hits[i+1].band != hit.band {
			t.endBand()
		}
	}
}

// addHit counts the tags of the entries that a line has for the band's key.
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

// crowded notes that the page of the key is full, so that the key may be one for which it had no
// room.
func (t *tally) crowded() {
	t.present.put(t.band)
	t.full = true
}

// inBand are the entries of the band that is being counted.
func (t *tally) inBand() []bandTag {
	from := len(t.entries)
	for from > 0 && t.entries[from-1].band == uint16(t.band) {
		from--
	}
	return t.entries[from:]
}

// best returns the group with the most votes among those that a rule accepts. If several are equal
// it returns the one with the lowest tag, in whatever order they were found.
func (t *tally) best(r groupRule) (tag uint16, votes int) {
	for _, named := range t.named {
		g := t.groups[named]
		if has := int(g.votes); (has > votes || has == votes && named < tag) && r.accepts(g) {
			tag, votes = named, has
		}
	}
	return tag, votes
}
