package bloomlsh

import (
	"math/bits"
	"slices"
)

// A groupLookup looks up the records of a batch in order, while the lines of later ones are being
// fetched from memory.
type groupLookup struct {
	*groupJudge
	b       batch
	records int
	spreads []keySpread
	tables  []tableLookup // those in memory, oldest first
	ahead   int           // how many records ahead lines are prefetched
	found   []tagFind     // from generations on disk, for the remaining records
	screen  screen
	busy    bandSet  // bands of the current record for which any generation has an entry
	places  []uint64 // places for its entries in the last table
	// pending are lines of a later record to prefetch while the entries of the current one are
	// stored, which spreads the load on memory evenly.
	pending []pagedLine
}

// A tableLookup is a generation in memory and its hits for the current record.
type tableLookup struct {
	*generation
	hits []tagHit
	next int // index of the first hit not yet counted
}

// startLookup starts to look up records.
func (j *groupJudge) startLookup(keys []Key) (*groupLookup, error) {
	bands, l := j.params.Bands, &j.lookup
	l.groupJudge, l.records, l.b = j, len(keys)/bands, batch{keys: keys, bands: bands, to: bands}
	var err error
	if l.found, err = j.onDisk.findTags(keys); err != nil {
		return nil, err
	}
	l.spreads = slices.Grow(l.spreads[:0], len(keys))[:len(keys)]
	spreadAll(l.spreads, keys, maskOf(j.params.PageSeed))
	l.b.spreads = l.spreads
	l.collectTables()
	l.ahead = l.tables[0].tags.at.ahead
	for _, t := range l.tables {
		for i := range min(l.ahead, l.records) {
			t.fetchTags(t.tags.addressIn(l.b, i))
		}
	}
	return l, nil
}

// collectTables collects the generations in memory. It reuses the slices of hits.
func (l *groupLookup) collectTables() {
	n := 0
	for _, g := range l.generations {
		if g.stored != nil {
			continue
		}
		if n == len(l.tables) {
			l.tables = append(l.tables, tableLookup{})
		}
		l.tables[n].generation = g
		n++
	}
	clear(l.tables[n:])
	l.tables = l.tables[:n]
}

// at counts the votes of record i. It must be called for each record, in order.
func (l *groupLookup) at(i int) groupVerdict {
	votes := l.votes
	for n := range l.tables {
		l.lookupIn(&l.tables[n], i, n == len(l.tables)-1)
	}
	votes.reset()
	if first := &l.tables[0]; len(l.tables) == 1 && len(l.found) == 0 {
		if !l.screen.passes(votes, first.table(), first.hits, l.rule, l.tagOf(l.inserted())) {
			votes.reset()
			votes.limits = true
			votes.addTable(first.table(), first.hits)
		}
	} else {
		l.addAll(i)
	}
	return l.verdict(l.b.record(i))
}

// lookupIn looks up record i in a table. For the last table, it prefetches half of the lines of a
// later record and leaves the other half pending.
func (l *groupLookup) lookupIn(t *tableLookup, i int, isLast bool) {
	var next []pagedLine
	if ahead := i + l.ahead; ahead < l.records {
		next = t.tags.addressIn(l.b, ahead)
	}
	if t.firstTags != nil {
		t.hits, t.next = t.firstTags.lookup(t.hits[:0], l.places, t.tags.linesOf(i), next), 0
		return
	}
	if half := (len(next) + 1) / 2; isLast {
		next, l.pending = next[:half], next[len(next)-half:]
	}
	t.hits, t.next = t.tags.lookup(t.hits[:0], l.places, t.tags.linesOf(i), next), 0
	// The lines of the next record have arrived by now. Until a table is 5/8 full, few lines are.
	if i+1 < l.records && t.inserted > t.capacity/8*5 {
		t.tags.prefetchBeyond(t.tags.linesOf(i + 1))
	}
}

// finish prefetches the pending lines if nothing was entered since at was called.
func (l *groupLookup) finish() {
	if next := l.drainPending(); next != nil {
		l.current().tags.fetch(next)
	}
}

// drainPending returns the pending lines, which the caller prefetches.
func (l *groupLookup) drainPending() (lines []pagedLine) {
	lines, l.pending = l.pending, nil
	return lines
}

// addAll counts the votes of all generations, band by band, so that each band counts once.
func (l *groupLookup) addAll(i int) {
	l.markBusy(i)
	for at, word := range l.busy {
		for ; word != 0; word &= word - 1 {
			l.addBand(i, 64*at+bits.TrailingZeros64(word))
		}
	}
}

// addBand counts the votes of one band of record i.
func (l *groupLookup) addBand(i, band int) {
	votes := l.votes
	votes.band = band
	for n := range l.tables {
		t := &l.tables[n]
		votes.nextGeneration()
		votes.limits = !l.params.forgets() || n == len(l.tables)-1
		for ; t.next < len(t.hits) && int(t.hits[t.next].band) == band; t.next++ {
			votes.addHit(t.table(), t.hits[t.next])
		}
	}
	votes.limits = !l.params.forgets()
	for len(l.found) > 0 && l.found[0].record == uint32(i) && int(l.found[0].band) == band {
		votes.nextGeneration() // each generation returns a tag only once
		if tag := l.found[0].tag; tag != 0 {
			votes.add(tag)
		} else {
			votes.crowded()
		}
		votes.again += int(l.found[0].again)
		l.found = l.found[1:]
	}
	votes.endBand()
}

// markBusy marks the bands for which any generation may have a tag of record i.
func (l *groupLookup) markBusy(i int) {
	clear(l.busy)
	for _, t := range l.tables {
		for _, hit := range t.hits {
			l.busy.put(int(hit.band))
		}
	}
	for _, find := range l.found {
		if find.record != uint32(i) {
			break
		}
		l.busy.put(int(find.band))
	}
}
