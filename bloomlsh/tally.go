package bloomlsh

import "math/bits"

// A tally counts the votes for one record by group.
type tally struct {
	groups  []groupVotes // by tag
	named   []uint16     // tags that have votes
	most    uint16       // votes of the group that has the most
	entries []bandTag    // the tags that each band names, by band
	present bandSet      // bands that name any group
	held    bandSet      // bands in which nothing can be inserted, since they have tagHolders groups
	full    bool         // the page of a key is full
	hits    []tagHit     // scratch of addLine
	turn
	repeats
}

// A turn is a generation in which a band is being counted.
type turn struct {
	band   int
	number uint32 // of the turn, from 0
	first  int    // where the entries of the band begin
	limits bool   // what the generation holds limits what is inserted
}

// repeats are entries that a generation has more than once.
type repeats struct {
	again int        // number in the band being counted
	wear  []bandWear // bands that have some
	worn  []bandTag  // tags that bands name by worn keys
}

// groupVotes holds the number of bands that name a group; of those in which the record's key is not
// common; of those in which it is worn; the last such band plus one, so that a band counts once;
// and the turn in which the band last named the group.
type groupVotes struct {
	votes, uncommon, worn, band uint16
	turn                        uint32
}

// A bandTag says that a band names a group.
type bandTag struct {
	band, tag uint16
	isOld     bool // only in generations that do not limit what is inserted
}

// bandWear holds the number of repeated entries of a band's key.
type bandWear struct{ band, again uint16 }

func newTally(l *tagLayout, bands int) *tally {
	words := setWords(bands)
	return &tally{groups: make([]groupVotes, l.tags()+1), present: make(bandSet, words), held: make(bandSet, words)}
}

// reset discards all counts.
func (t *tally) reset() {
	for _, tag := range t.named {
		t.groups[tag] = groupVotes{}
	}
	clear(t.present)
	clear(t.held)
	t.named, t.entries, t.most, t.full = t.named[:0], t.entries[:0], 0, false
	t.turn = turn{limits: t.limits}
	t.repeats = repeats{wear: t.wear[:0], worn: t.worn[:0]}
}

// add records that the band names a group.
func (t *tally) add(tag uint16) {
	g := &t.groups[tag]
	if g.band == uint16(t.band)+1 {
		t.addAgain(g, tag)
		return
	}
	t.entries = append(t.entries, bandTag{uint16(t.band), tag, !t.limits})
	if g.votes == 0 {
		t.named = append(t.named, tag)
	}
	g.votes++
	g.band, g.turn = uint16(t.band)+1, t.number
	t.most = max(t.most, g.votes)
	t.present.put(t.band)
}

// addAgain is add for a group that the band has already named.
func (t *tally) addAgain(g *groupVotes, tag uint16) {
	if g.turn == t.number {
		t.again++
		return
	}
	g.turn = t.number
	if !t.limits {
		return
	}
	for i := range t.inBand() {
		if named := &t.inBand()[i]; named.tag == tag {
			named.isOld = false
		}
	}
}

// nextGeneration must be called between the generations of a band.
func (t *tally) nextGeneration() { t.number++ }

// endBand must be called after all tags of a band were counted.
func (t *tally) endBand() {
	if t.again > 0 {
		t.wear = append(t.wear, bandWear{uint16(t.band), uint16(min(t.again, wornAt))})
		for _, named := range t.inBand() {
			if t.again >= wornAt {
				t.worn = append(t.worn, bandTag{band: named.band, tag: named.tag})
			}
		}
		t.again = 0
	}
	if named := t.inBand(); len(named) < tagHolders {
		for _, n := range named {
			t.groups[n.tag].uncommon++
		}
	} else if limiting(named) >= tagHolders {
		t.held.put(t.band)
	}
	t.first = len(t.entries)
	t.number++
}

// limiting returns how many entries limit what is inserted.
func limiting(entries []bandTag) (n int) {
	for _, e := range entries {
		if !e.isOld {
			n++
		}
	}
	return n
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
	for len(hits) > 0 {
		t.band = int(hits[0].band)
		for ; len(hits) > 0 && int(hits[0].band) == t.band; hits = hits[1:] {
			t.addHit(table, hits[0])
		}
		t.endBand()
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
func (t *tally) inBand() []bandTag { return t.entries[t.first:] }

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
