package bloomlsh

import "github.com/zeebo/xxh3"

// How a tagged index judges and remembers. A record is a duplicate if at least Votes of its bands
// name one group, and uncommonVotes of these by keys that are not common, or plentyOfVotes by
// whatever keys: then it joins that group.
// Otherwise it founds a group of its own. Then its group is entered in every band that does not
// name it yet, and that names fewer than tagHolders groups.
//
// Where every band of a record names some group, common keys count like others: such a record has
// nothing of its own, and is nearly always a copy.
//
// In a crowd, other groups may hold all keys of a record. An exact copy of it would not be found,
// so such a record is also entered as a whole: under keys made of all of its keys. They are looked
// up only where every band names some group, which is rare outside of crowds.

// A groupJudge counts the bands that name the same group. It judges by tagged filters.
type groupJudge struct {
	*history
	*counts
	onDisk *diskAnswers
	tagLayout
	votes    *tally
	whole    *tally // of the keys of whole records, and of marks
	rule     groupRule
	lookup   groupLookup
	far      bandSet     // scratch of insertion
	lacking  bandSet     // bands that the current record's group is to be entered in
	again    bandSet     // of these, those that it is entered in again
	record   groupRecord // the one that was entered last, if isLogged
	isLogged bool        // what is entered is noted for a log
	joined   []uint64    // by tag: records that joined the group since the index was opened
	lossy    bool        // a page had no room for an entry
	crowds   map[uint16]CrowdFound
}

func newGroupJudge(h *history, c *counts, d *diskAnswers) *groupJudge {
	l, bands := h.params.tagLayout(), h.params.Bands
	words, votes := setWords(bands), h.params.Votes
	return &groupJudge{history: h, counts: c, onDisk: d, tagLayout: l, votes: newTally(l, bands),
		whole: newTally(l, bands), joined: make([]uint64, l.tags()+1),
		rule:   groupRule{votes: votes, bands: bands, uncommon: uncommonVotes(votes), plenty: plentyOfVotes(votes)},
		crowds: map[uint16]CrowdFound{}, far: make(bandSet, words),
		lacking: make(bandSet, words), again: make(bandSet, words),
		lookup: groupLookup{busy: make(bandSet, words), places: make([]uint64, bands)}}
}

// isTagged reports whether votes of one group count.
func (p Params) isTagged() bool { return p.Filter == FilterTagged }

func (j *groupJudge) observe(r records, votes []uint16, changed func(keys []Key) error) (observed int, err error) {
	j.isLogged = changed != nil
	for observed < len(votes) && err == nil {
		var n int
		n, err = j.observeUntilGrown(r.part(observed, len(votes), j.params.Bands), votes[observed:], changed)
		observed += n
	}
	return observed, err
}

// observeUntilGrown observes records until a generation is opened.
func (j *groupJudge) observeUntilGrown(
	r records, votes []uint16, changed func(keys []Key) error,
) (observed int, err error) {
	look, err := j.startLookup(r.keys)
	if err != nil {
		return 0, err
	}
	generations := j.number(len(j.generations))
	for i := range votes {
		found := look.at(i)
		if err := j.failed(); err != nil {
			return i, err
		}
		isNew, err := j.remember(look, i, &found, r.beside.Votes(i))
		if err != nil {
			return i, err
		}
		votes[i] = found.votes
		if found.duplicate && !found.copied {
			j.joined[found.group]++
		}
		if found.refused != 0 {
			j.noteKept(found.refused)
		}
		look.finish()
		j.onDisk.pass(1)
		j.add(int(found.votes), 1, int(found.votes) >= j.params.Votes)
		if isNew && changed != nil {
			if err := changed(j.record.keys); err != nil {
				return i, err
			}
		}
		if j.number(len(j.generations)) != generations {
			return i + 1, nil
		}
	}
	return len(votes), nil
}

// query counts votes without entering anything.
func (j *groupJudge) query(keys []Key, votes []uint16) error {
	look, err := j.startLookup(keys)
	if err != nil {
		return err
	}
	for i := range votes {
		votes[i] = look.at(i).votes
		look.finish()
	}
	j.onDisk.pass(len(votes))
	return j.failed()
}

// remembers is certain of every copy, unless a page had no room for an entry.
func (j *groupJudge) remembers(votes uint16) bool {
	return !j.lossy && (int(votes) == j.params.Bands || j.params.Remember == RememberAll || int(votes) < j.params.Votes)
}

// A groupVerdict is what an index says of one record.
type groupVerdict struct {
	votes     uint16 // of the best group; all bands of a copy
	group     uint16 // its tag, if they are enough
	refused   uint16 // a group with enough votes, too many of them by worn keys; 0 for no group
	duplicate bool
	copied    bool // a duplicate, all of whose keys are there
}

// verdict says what the votes that were counted mean for a record.
func (j *groupJudge) verdict(keys []Key) groupVerdict {
	needed := j.params.Votes
	if j.votes.present.count() < j.params.Bands {
		tag, votes := j.votes.best(j.rule)
		refused := uint16(0)
		if votes >= needed && len(j.votes.worn) > 0 {
			refused = tag
			j.countWorn(keys)
			tag, votes = j.votes.best(j.rule)
		}
		if votes >= needed {
			return groupVerdict{votes: uint16(votes), group: tag, duplicate: true}
		}
		_, votes = j.votes.best(groupRule{})
		return groupVerdict{votes: uint16(min(votes, needed-1)), refused: refused} // more would make a duplicate
	}
	tag, votes := j.votes.best(groupRule{})
	v := groupVerdict{votes: uint16(votes), group: tag, duplicate: votes >= needed}
	if !v.duplicate {
		if tag, ok := j.findWhole(keys); ok {
			v.group, v.duplicate = tag, true
		}
	}
	if v.copied = v.duplicate; v.copied {
		v.votes = uint16(j.params.Bands)
	}
	return v
}

// remember enters a record whose votes were counted, and reports whether that has changed the
// index. elsewhere is how many votes another index has given.
func (j *groupJudge) remember(look *groupLookup, i int, v *groupVerdict, elsewhere uint16) (isNew bool, err error) {
	group, duplicate, joins := v.group, v.duplicate, 0
	if duplicate && !v.copied {
		joins = int(v.votes)
	}
	v.votes = max(v.votes, elsewhere)
	switch {
	case v.copied && !j.params.forgets():
		return false, nil
	case j.params.Remember == RememberUnseen && int(v.votes) >= j.params.Votes && !j.enters:
		return false, nil
	}
	if !duplicate {
		group = j.tagOf(j.inserted())
	}
	g, keys := j.current(), look.b.record(i)
	e := insertion{generation: g, keys: keys, lines: g.tags.linesOf(i), group: group, votes: joins,
		entries: j.votes.entries, scratch: j.far}
	if first := g.firstTags; first == nil || !first.isFull {
		e.places, e.crowded, e.next = j.lookup.places, j.votes.full, look.drainPending()
	}
	if g.full() {
		if has := e.lacks(j.lacking); j.lacking.count() == 0 && has >= j.params.Votes {
			return false, nil // there is nothing to enter
		}
		if err := j.grow(); err != nil {
			return false, err
		}
		e.generation, e.places = j.current(), nil
		if j.params.forgets() {
			e.entries = nil
		}
		if e.lines = e.generation.tags.linesOf(i); e.generation != g {
			e.lines = e.generation.tags.address(keys)
		}
	}
	return j.insert(&e), nil
}

// insert enters a record, and notes it in j.record.
func (j *groupJudge) insert(e *insertion) (changed bool) {
	votes, lacking := j.params.Votes, j.lacking
	if e.generation.makeTagRoom(len(e.keys) + votes) {
		e.places = nil
	}
	has, again, marks := e.lacks(lacking), bandSet(nil), bandMarks(0)
	if e.votes > 0 && lacking.count() > 0 {
		again, marks = j.wear(e)
		for i := range lacking {
			lacking[i] |= again[i]
		}
	}
	entered, lost := e.add(j.tagLayout, lacking)
	j.lossy = j.lossy || lost > 0
	whole := has+entered-again.count() < votes && j.addWhole(e.generation, e.keys, e.group)
	if !j.mark(e.generation, e.keys, e.group, marks) {
		marks = 0
	}
	if j.isLogged {
		j.record.begin(e.keys, e.group, lacking, whole)
		j.record.mark(marks)
	}
	if changed = whole || entered > 0; changed {
		e.generation.inserted++
		e.generation.keepUp()
	}
	return changed
}

// wholeKeys makes as many keys as a duplicate needs votes out of all keys of a record, and says
// which band each belongs to.
func (j *groupJudge) wholeKeys(keys []Key) (whole []Key, bands []int) {
	b := make([]byte, keySize*len(keys))
	putKeys(b, keys)
	hash := xxh3.Hash128(b)
	for i := range j.params.Votes {
		whole = append(whole, Key{Hi: hash.Hi + uint64(i), Lo: hash.Lo})
		bands = append(bands, int((hash.Lo+uint64(i))%uint64(len(keys))))
	}
	return whole, bands
}

// findWhole looks for a copy of a record among those that were entered as a whole.
func (j *groupJudge) findWhole(keys []Key) (tag uint16, ok bool) {
	t := j.whole
	t.reset()
	whole, bands := j.wholeKeys(keys)
	for i, key := range whole {
		t.band = i
		for _, g := range j.generations {
			if g.stored != nil {
				g.stored.findTag(bands[i], key, t)
				continue
			}
			g.collect(g.lineOf(bands[i], key), t)
		}
	}
	tag, votes := t.best(groupRule{})
	return tag, votes == len(whole)
}

// addWhole enters a record as a whole, unless the generation has it.
func (j *groupJudge) addWhole(g *generation, keys []Key, group uint16) (changed bool) {
	t := j.whole
	whole, bands := j.wholeKeys(keys)
	for i, key := range whole {
		t.reset()
		line := g.lineOf(bands[i], key)
		g.collect(line, t)
		if t.groups[group].votes > 0 {
			continue
		}
		if !g.addTag(line, j.entryOf(line.bits, group)) {
			j.lossy = true
			continue
		}
		changed = true
	}
	return changed
}
