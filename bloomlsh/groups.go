package bloomlsh

import (
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"
)

// How a tagged index judges and remembers. A record is a duplicate if at least Votes of its bands
// name one group, which it joins, and uncommonVotes of these by keys that are not common. Else it
// founds a group of its own. Then its group is entered into every band that does not name it yet,
// and names fewer than tagHolders.
//
// Where every band of a record names some group, common keys count like others: such a record has
// nothing of its own, and is nearly always a copy.
//
// In a crowd all keys of a record may be taken by other groups. An exact copy of it would not be
// found, so such a record is entered as a whole besides: by keys made of all of its keys. They are
// looked for only where every band names some group, which is rare outside of crowds.

// groupIndex is what an Index has beside its generations if these are tagged.
type groupIndex struct {
	tagLayout
	votes  *tally
	whole  *tally        // of the keys of whole records
	tables []*generation // in memory, the oldest first
	hits   [][]tagHit    // what each of them has for the current record
	busy   bandSet       // bands of which any table has something
	places []uint64      // where the last one has room for the record's entries
	record groupRecord   // what was entered last
	joined []uint64      // records that joined a group since the index was opened, by its tag
	lossy  bool          // a page had no room for an entry
}

func newGroupIndex(p Params) *groupIndex {
	l := p.tagLayout()
	return &groupIndex{tagLayout: l, votes: newTally(l, p.Bands), whole: newTally(l, p.Bands),
		busy: make(bandSet, setWords(p.Bands)), places: make([]uint64, p.Bands), joined: make([]uint64, l.tags()+1)}
}

// isTagged reports whether votes of one group count.
func (p Params) isTagged() bool { return p.Filter == FilterTagged }

// observeGroups is observeNow of a tagged index.
func (x *Index) observeGroups(r records, votes []uint16, changed func(keys []Key) error) (observed int, err error) {
	for observed < len(votes) && err == nil {
		var n int
		n, err = x.observeUntilGrown(r.part(observed, len(votes), x.params.Bands), votes[observed:], changed)
		observed += n
	}
	return observed, err
}

// observeUntilGrown observes records until a generation was opened.
func (x *Index) observeUntilGrown(
	r records, votes []uint16, changed func(keys []Key) error,
) (observed int, err error) {
	look, err := x.lookFrom(r.keys)
	if err != nil {
		return 0, err
	}
	generations := x.number(len(x.generations))
	for i := range votes {
		found := look.at(i)
		if err := x.failed(); err != nil {
			return i, err
		}
		isNew, err := x.remember(look, i, &found, r.beside.Votes(i))
		if err != nil {
			return i, err
		}
		votes[i] = found.votes
		if found.duplicate && !found.copied {
			x.groups.joined[found.group]++
		}
		if next := look.takePending(); next != nil {
			x.current().tags.at.fetch(next, 1)
		}
		x.pass(1)
		x.count(int(found.votes))
		if isNew && changed != nil {
			if err := changed(x.groups.record.keys); err != nil {
				return i, err
			}
		}
		if x.number(len(x.generations)) != generations {
			return i + 1, nil
		}
	}
	return len(votes), nil
}

// queryGroups is Query of a tagged index.
func (x *Index) queryGroups(keys []Key, votes []uint16) error {
	look, err := x.lookFrom(keys)
	if err != nil {
		return err
	}
	for i := range votes {
		votes[i] = look.at(i).votes
		if next := look.takePending(); next != nil {
			x.current().tags.at.fetch(next, 1)
		}
	}
	x.pass(len(votes))
	return x.failed()
}

// A groupVerdict is what an index says of one record.
type groupVerdict struct {
	votes     uint16 // of the best group; all bands of a copy
	group     uint16 // its tag, if they are enough
	duplicate bool
	copied    bool // a duplicate of which every key is there
}

// A groupLook looks at records of a batch one after the other, while the lines of those that come
// next are on their way from memory.
type groupLook struct {
	x     *Index
	b     batch
	n     int
	ahead int
	found []tagFind // of stored generations, of the records that come
	// lines of a record to come that are prefetched while the entries of the current one are put,
	// so that memory has no burst of work and no pause
	pending []pagedLine
}

// lookFrom begins to look at records.
func (x *Index) lookFrom(keys []Key) (*groupLook, error) {
	bands := x.params.Bands
	l := &groupLook{x: x, n: len(keys) / bands, b: batch{keys: keys, bands: bands, to: bands}}
	var err error
	if l.found, err = x.findStored(keys); err != nil {
		return nil, err
	}
	g := x.groups
	x.spreads = slices.Grow(x.spreads[:0], len(keys))[:len(keys)]
	spreadAll(x.spreads, keys, maskOf(x.params.PageSeed))
	l.b.spreads = x.spreads
	g.tables = g.tables[:0]
	for _, generation := range x.generations {
		if generation.stored == nil {
			g.tables = append(g.tables, generation)
		}
	}
	l.ahead = g.tables[0].tags.at.ahead
	for len(g.hits) < len(g.tables) {
		g.hits = append(g.hits, nil)
	}
	for _, generation := range g.tables {
		for i := range min(l.ahead, l.n) {
			lines := generation.tags.at.addressIn(l.b, i)
			if generation.firstTags == nil {
				generation.tags.at.fetch(lines, 1)
			} else {
				generation.firstTags.fetch(lines)
			}
		}
	}
	return l, nil
}

// at counts the votes of the i-th record. It is called for each, in order.
func (l *groupLook) at(i int) groupVerdict {
	g := l.x.groups
	for t, generation := range g.tables {
		var next []pagedLine
		if ahead := i + l.ahead; ahead < l.n {
			next = generation.tags.at.addressIn(l.b, ahead)
		}
		if generation.firstTags != nil {
			generation.firstTags.fetch(next)
			continue
		}
		if half := (len(next) + 1) / 2; t == len(g.tables)-1 {
			next, l.pending = next[:half], next[len(next)-half:]
		}
		if i+1 < l.n && generation.inserted > generation.capacity/4*3 {
			generation.tags.prefetchBeyond(generation.tags.at.linesOf(i + 1))
		}
		g.hits[t] = generation.tags.look(g.hits[t][:0], g.places, generation.tags.at.linesOf(i), next)
	}
	g.votes.begin()
	if len(g.tables) == 1 && g.tables[0].firstTags == nil && len(l.found) == 0 {
		g.votes.limits = true
		g.votes.addTable(g.tables[0].tags, g.hits[0])
	} else {
		l.addAll(i)
	}
	return l.x.verdict(l.b.record(i))
}

// takePending returns the lines of a record to come that are still to be prefetched.
func (l *groupLook) takePending() (lines []pagedLine) {
	lines, l.pending = l.pending, nil
	return lines
}

// addAll counts the votes of all generations, band by band, so that a band counts once.
func (l *groupLook) addAll(i int) {
	x, g := l.x, l.x.groups
	l.markBusy(i)
	for at, word := range g.busy {
		for ; word != 0; word &= word - 1 {
			band := 64*at + bits.TrailingZeros64(word)
			g.votes.band = band
			for t, generation := range g.tables {
				g.votes.limits = !x.params.forgets() || t == len(g.tables)-1
				if generation.firstTags != nil {
					generation.firstTags.collect(generation.tags.at.linesOf(i)[band], g.votes)
					continue
				}
				for len(g.hits[t]) > 0 && int(g.hits[t][0].band) == band {
					g.votes.addHit(generation.tags, g.hits[t][0])
					g.hits[t] = g.hits[t][1:]
				}
			}
			g.votes.limits = !x.params.forgets()
			for len(l.found) > 0 && l.found[0].record == uint32(i) && int(l.found[0].band) == band {
				if tag := l.found[0].tag; tag != 0 {
					g.votes.add(tag)
				} else {
					g.votes.crowded()
				}
				l.found = l.found[1:]
			}
			g.votes.endBand()
		}
	}
}

// markBusy marks the bands for which any generation may have a tag of the i-th record.
func (l *groupLook) markBusy(i int) {
	g := l.x.groups
	clear(g.busy)
	for t, generation := range g.tables {
		if generation.firstTags != nil {
			g.busy.fill(l.b.bands)
			return
		}
		for _, hit := range g.hits[t] {
			g.busy.put(int(hit.band))
		}
	}
	for _, find := range l.found {
		if find.record != uint32(i) {
			break
		}
		g.busy.put(int(find.band))
	}
}

// verdict is what the votes that were counted say of a record.
func (x *Index) verdict(keys []Key) groupVerdict {
	g, needed := x.groups, x.params.Votes
	if g.votes.present.count() < x.params.Bands {
		tag, votes := g.votes.best(uncommonVotes(needed))
		if votes >= needed {
			return groupVerdict{votes: uint16(votes), group: tag, duplicate: true}
		}
		_, votes = g.votes.best(0)
		return groupVerdict{votes: uint16(min(votes, needed-1))} // more would make a duplicate
	}
	tag, votes := g.votes.best(0)
	v := groupVerdict{votes: uint16(votes), group: tag, duplicate: votes >= needed}
	if !v.duplicate {
		if tag, ok := x.findWhole(keys); ok {
			v.group, v.duplicate = tag, true
		}
	}
	if v.copied = v.duplicate; v.copied {
		v.votes = uint16(x.params.Bands)
	}
	return v
}

// remember enters a record of which the votes were counted, and reports whether that has changed
// the index. elsewhere is how many votes another index
// has given.
func (x *Index) remember(l *groupLook, i int, v *groupVerdict, elsewhere uint16) (isNew bool, err error) {
	p, g := &x.params, x.groups
	own := *v
	v.votes = max(v.votes, elsewhere)
	switch {
	case own.copied && !p.forgets():
		return false, nil
	case p.Remember == RememberUnseen && int(v.votes) >= p.Votes:
		return false, nil
	}
	if !own.duplicate {
		own.group = g.tagOf(x.Usage().Inserted)
	}
	keys := l.b.record(i)
	e := entering{generation: x.current(), keys: keys, lines: x.current().tags.at.linesOf(i), group: own.group,
		entries: g.votes.entries}
	if e.generation.firstTags == nil {
		e.places, e.crowded, e.next = g.places, g.votes.full, l.takePending()
	}
	if e.generation.full() {
		if has := e.lacks(x.seen); x.seen.count() == 0 && has >= p.Votes {
			return false, nil // there is nothing to enter
		}
		if err := x.grow(); err != nil {
			return false, err
		}
		e.generation, e.places = x.current(), nil
		if p.forgets() {
			e.entries = nil
		}
		e.lines = e.generation.tags.at.address(0, keys)
	}
	return x.enter(e), nil
}

// entering is a record that is entered into a generation.
type entering struct {
	generation *generation
	keys       []Key
	lines      []pagedLine
	places     []uint64    // where the generation's table has room for the entries, if that is known
	crowded    bool        // one of them has none
	next       []pagedLine // lines to be prefetched
	entries    []bandTag   // that the record's bands have
	group      uint16
}

// lacks sets the bands that the group is to be entered in, and returns how many name it already.
func (e *entering) lacks(set bandSet) (has int) {
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
func (e *entering) add(l tagLayout, set bandSet) (entered, lost int) {
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

// enter enters a record, and notes it in groups.record.
func (x *Index) enter(e entering) (changed bool) {
	g, votes := x.groups, x.params.Votes
	e.generation.makeTagRoom(len(e.keys) + votes)
	has := e.lacks(x.seen)
	entered, lost := e.add(g.tagLayout, x.seen)
	g.lossy = g.lossy || lost > 0
	g.record.begin(e.keys, e.group, x.seen)
	if has+entered < votes && x.addWhole(e.generation, e.keys, e.group) {
		g.record.enterWhole()
		changed = true
	}
	if changed = changed || entered > 0; changed {
		e.generation.inserted++
	}
	return changed
}

// wholeKeys are as many keys as make a duplicate, made of all keys of a record, and the bands that
// they are in.
func (x *Index) wholeKeys(keys []Key) (whole []Key, bands []int) {
	b := make([]byte, 0, keySize*len(keys))
	hash := xxh3.Hash128(appendKeys(b, keys))
	for i := range x.params.Votes {
		whole = append(whole, Key{Hi: hash.Hi + uint64(i), Lo: hash.Lo})
		bands = append(bands, int((hash.Lo+uint64(i))%uint64(len(keys))))
	}
	return whole, bands
}

// findWhole looks for a copy of a record among those that were entered as a whole.
func (x *Index) findWhole(keys []Key) (tag uint16, ok bool) {
	t := x.groups.whole
	t.begin()
	whole, bands := x.wholeKeys(keys)
	for i, key := range whole {
		t.band = i
		for _, g := range x.generations {
			if g.stored != nil {
				g.stored.findTag(bands[i], key, t)
				continue
			}
			line := g.lineOf(bands[i], key)
			if g.firstTags != nil {
				g.firstTags.collect(line, t)
				continue
			}
			t.addLine(g.tags, line)
		}
	}
	tag, votes := t.best(0)
	return tag, votes == len(whole)
}

// addWhole enters a record as a whole, unless the generation has it.
func (x *Index) addWhole(g *generation, keys []Key, group uint16) (changed bool) {
	t := x.groups.whole
	whole, bands := x.wholeKeys(keys)
	for i, key := range whole {
		t.begin()
		line := g.lineOf(bands[i], key)
		if g.firstTags != nil {
			g.firstTags.collect(line, t)
		} else {
			t.addLine(g.tags, line)
		}
		if t.groups[group].votes > 0 {
			continue
		}
		if !g.addTag(line, x.groups.entryOf(line.bits, group)) {
			x.groups.lossy = true
			continue
		}
		changed = true
	}
	return changed
}
