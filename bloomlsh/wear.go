package bloomlsh

import (
	"cmp"
	"math/bits"
	"slices"
)

// A group has the keys of all its records. With thousands of pages that share a frame, a group soon
// has every key that the frame can produce. Then a page gets as many votes as its frame is large,
// which no two of the pages would give each other, and nearly all pages would be removed.
//
// So a group keeps track of how records joined it. Each record that joins re-enters three of the
// keys that the group already has, selected by the record's own keys. If the record came with few
// votes, it re-enters them as they are: a key that has wornAt more entries than needed is worn. If
// it came with many votes, it enters them as marks, under keys derived from them: a key with
// sureMarks marks never wears. Whichever comes first stays. Votes by worn keys count less, so that
// a record that has only such votes needs wornVotes of them, which pages whose similarity is below
// the threshold rarely get. Close copies are treated as before, however many there are.
const (
	wornAt    = 4
	sureMarks = 5
)

// sureVotes returns how many votes a record must have to mark keys. That is 11/24 of the way from
// the votes that make a duplicate to all bands: 19 of 32.
func sureVotes(votes, bands int) int { return votes + 11*(bands-votes)/24 }

// A groupRule says which groups a record may join.
type groupRule struct {
	votes, bands     int
	uncommon, plenty int // votes by uncommon keys, or votes by any keys
}

// accepts reports whether a record may join a group. The zero rule accepts all.
func (r groupRule) accepts(g groupVotes) bool {
	if int(g.uncommon) < r.uncommon && int(g.votes) < r.plenty {
		return false
	}
	// A vote by a worn key counts as votes/wornVotes, where wornVotes is 5/8 of the way from the
	// votes that make a duplicate to all bands: 23 of 32.
	wornVotes := 8*r.votes + 5*(r.bands-r.votes)
	return int(g.votes-g.worn)*wornVotes+int(g.worn)*8*r.votes >= wornVotes*r.votes
}

// drawn is how many of its keys a record re-enters on average, if its group has all of them.
const drawn = 3

// draw calls do with the selected bands of a record.
func draw(keys []Key, do func(band int)) {
	seed := uint64(0)
	for _, key := range keys {
		seed = (bits.RotateLeft64(seed, 29) ^ key.Lo) * mulGolden
	}
	for band := range keys {
		x := (seed ^ uint64(band)) * mulGolden
		x = (x ^ x>>32) * mulGolden
		if x>>32*uint64(len(keys)) < drawn<<32 {
			do(band)
		}
	}
}

// countWorn counts the votes by worn keys for the groups that have enough votes.
func (j *groupJudge) countWorn(keys []Key) {
	t := j.votes
	for _, w := range t.worn {
		if g := &t.groups[w.tag]; int(g.votes) >= j.params.Votes && !j.isSure(int(w.band), keys[w.band], w.tag) {
			g.worn++
		}
	}
}

// markKey returns the key that represents the n-th mark of a key.
func markKey(key Key, n int) Key {
	return Key{Hi: bits.RotateLeft64(key.Hi, 17) ^ uint64(n+1)*mulGolden, Lo: bits.RotateLeft64(key.Lo, 41)}
}

// isSure reports whether a key never wears for a group.
func (j *groupJudge) isSure(band int, key Key, tag uint16) bool {
	for _, g := range j.generations {
		if j.hasTag(g, band, markKey(key, sureMarks-1), tag) {
			return true
		}
	}
	return false
}

// hasTag reports whether a generation has an entry of a key for a group.
func (j *groupJudge) hasTag(g *generation, band int, key Key, tag uint16) bool {
	t := j.whole
	t.reset()
	if g.stored != nil {
		g.stored.findTag(band, key, t)
	} else {
		g.collect(g.lineOf(band, key), t)
	}
	return t.groups[tag].votes > 0
}

// wear returns the bands whose keys a record that joins a group re-enters: those to enter as they
// are, and those to enter as marks.
func (j *groupJudge) wear(e *insertion) (again bandSet, marks bandMarks) {
	clear(j.again)
	isSure := e.votes >= sureVotes(j.params.Votes, j.params.Bands)
	draw(e.keys, func(band int) {
		switch {
		case !e.has(band) || j.votes.wearOf(band) >= wornAt || j.isSure(band, e.keys[band], e.group):
		case isSure:
			marks = marks.with(band)
		default:
			j.again.put(band)
		}
	})
	return j.again, marks
}

// mark enters, for each band in marks, the first mark that a generation does not yet have. It
// reports whether there was space for any.
func (j *groupJudge) mark(g *generation, keys []Key, group uint16, marks bandMarks) (changed bool) {
	marks.each(func(band int) {
		n := 0
		for n < sureMarks-1 && j.hasTag(g, band, markKey(keys[band], n), group) {
			n++
		}
		line := g.lineOf(band, markKey(keys[band], n))
		if g.addTag(line, j.entryOf(line.bits, group)) {
			changed = true
		}
	})
	return changed
}

// bandMarks holds up to three bands, each in 16 bits as its number plus one.
type bandMarks uint64

const mostMarks = 3

// with adds a band, unless there are three already.
func (m bandMarks) with(band int) bandMarks {
	if m>>(16*(mostMarks-1)) != 0 {
		return m
	}
	return m<<16 | bandMarks(band+1)
}

// each calls do with each band.
func (m bandMarks) each(do func(band int)) {
	for ; m != 0; m >>= 16 {
		if band := int(m & 0xffff); band > 0 {
			do(band - 1)
		}
	}
}

// A CrowdFound is a group whose keys are worn: many of its records have about the threshold's
// similarity to each other.
type CrowdFound struct {
	First   uint64 // number of the first record of Kept, counted from 1 since the index was opened
	Kept    uint64 // records kept although they had enough votes: too many by worn keys
	Removed uint64 // records removed because of the group, or of others with its tag
}

// noteKept records that the current record has enough votes for a group and is kept.
func (j *groupJudge) noteKept(tag uint16) {
	c := j.crowds[tag]
	if c.Kept++; c.Kept == 1 {
		for _, n := range j.byVotes {
			c.First += n
		}
		c.First++
	}
	j.crowds[tag] = c
}

// Crowds returns the crowds among the records observed since a tagged index was opened, in the
// order of their first records.
func (x *Index) Crowds() []CrowdFound {
	if x.groups == nil {
		return nil
	}
	var all []CrowdFound
	for tag, c := range x.groups.crowds {
		c.Removed = x.groups.joined[tag]
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b CrowdFound) int { return cmp.Compare(a.First, b.First) })
	return all
}

// Crowds calls Index.Crowds.
func (s *Store) Crowds() []CrowdFound { return s.index.Crowds() }
