package bloomlsh

import "github.com/zeebo/xxh3"

// This file implements how a tagged index judges and remembers. A record joins a group, and is a
// duplicate, if at least Votes of its bands name the group and either uncommonVotes of these do so
// by keys that are not common, or plentyOfVotes by any keys. Otherwise it founds a group. That
// group is entered in every band that does not name it yet and that names fewer than tagHolders
// groups.
//
// If every band of a record names some group, common keys count like any others: such a record has
// nothing of its own, and is nearly always a copy.
//
// In a crowd, other groups may take up all keys of a record, so that an exact copy of it would not
// be found. Such a record is therefore also entered as a whole, under keys computed from all of its
// keys. These are looked up only if every band names some group, which is rare outside of crowds.

// A groupJudge counts the bands that name the same group. It uses tagged filters.
type groupJudge struct {
	*history
	*counts
	onDisk *diskAnswers
	*tagLayout
	votes    *tally
	whole    *tally // votes of whole records and of marks
	rule     groupRule
	lookup   groupLookup
	far      bandSet     // scratch of insertion
	lacking  bandSet     // bands in which the current record's group must be entered
	again    bandSet     // those of lacking in which it is entered again
	record   groupRecord // the record entered last, if isLogged
	isLogged bool        // entered records are also stored in record, for a log
	joined   []uint64    // by tag: records that joined the group since the index was opened
	lossy    bool        // a page had no space for an entry
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

// isTagged reports whether only votes of one group count together.
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

// query counts votes without inserting anything.
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

// remembers returns true for every copy, unless a page had no space for an entry.
func (j *groupJudge) remembers(votes uint16) bool {
	return !j.lossy && (int(votes) == j.params.Bands || j.params.Remember == RememberAll || int(votes) < j.params.Votes)
}

// A groupVerdict is the verdict of an index on one record.
type groupVerdict struct {
	votes     uint16 // for the best group; the number of bands for a copy
	group     uint16 // its tag, if it has enough votes
	refused   uint16 // a group with enough votes, but too many of them by worn keys; 0 for none
	duplicate bool
	copied    bool // a duplicate all of whose keys are present
}

// verdict returns the verdict on a record whose votes have been counted.
func (j *groupJudge) verdict(keys []Key) groupVerdict {
	needed := j.params.Votes
	if j.votes.present.count() < j.params.Bands {
		if most := j.votes.most; int(most) < needed { // as for nearly all records
			return groupVerdict{votes: most}
		}
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
		return groupVerdict{votes: uint16(min(votes, needed-1)), refused: refused} // or it would be a duplicate
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

// remember enters a record whose votes have been counted, and reports whether that changed the
// index. elsewhere is the number of votes that another index gave.
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
		entries: j.votes.entries, held: j.votes.held, scratch: j.far}
	if first := g.firstTags; first == nil || !first.isFull {
		e.places, e.crowded, e.next = j.lookup.places, j.votes.full, look.drainPending()
	}
	if g.full() {
		if has := e.lacks(j.lacking); j.lacking.count() == 0 && has >= j.params.Votes {
			return false, nil // nothing to enter
		}
		if err := j.grow(); err != nil {
			return false, err
		}
		e.generation, e.places = j.current(), nil
		if j.params.forgets() {
			e.entries, e.held = nil, nil
		}
		if e.lines = e.generation.tags.linesOf(i); e.generation != g {
			e.lines = e.generation.tags.address(keys)
		}
	}
	return j.insert(&e), nil
}

// insert enters a record, and stores it in j.record.
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

// wholeKeys computes from all keys of a record as many keys as a duplicate needs votes, and returns
// the band of each.
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

// findWhole looks for a copy of a record among the records entered as a whole.
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

// addWhole enters a record as a whole, unless the generation contains it.
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
