package bloomlsh

import (
	"cmp"
	"math/bits"
	"slices"
)

// A group has the keys of all its records. Of thousands of pages that share a frame, it soon has
// every key that the frame can give: then a page finds as many votes as its frame is large, which
// no two of the pages give each other, and nearly all pages go.
//
// So a group notices how its records came to it. Each record that joins it enters three of the keys
// that the group has again, drawn by the record's own keys. A record that came with few votes
// enters them as they are: a key that is there wornAt times more than needed is worn. One that came
// with many votes enters them as marks, under keys made of them: a key with sureMarks marks never
// wears. Whatever comes first stays. Votes by worn keys count less, so that a record that has
// nothing but these needs wornVotes of them, which pages whose similarity is below the threshold
// rarely have. Close copies are as before, however many there are.
const (
	wornAt    = 4
	sureMarks = 5
)

// sureVotes returns how many votes a record came with that marks keys. They are 11/24 of the way
// from those that make a duplicate to all bands: 19 of 32.
func sureVotes(votes, bands int) int { return votes + 11*(bands-votes)/24 }

// A groupRule says which groups a record may join.
type groupRule struct {
	votes, bands     int
	uncommon, plenty int // votes by uncommon keys, or votes by whatever keys
}

// accepts reports whether a record may join a group. The zero rule accepts all.
func (r groupRule) accepts(g groupVotes) bool {
	if int(g.uncommon) < r.uncommon && int(g.votes) < r.plenty {
		return false
	}
	// A vote by a worn key counts as votes/wornVotes, where wornVotes are 5/8 of the way from those
	// that make a duplicate to all bands: 23 of 32.
	wornVotes := 8*r.votes + 5*(r.bands-r.votes)
	return int(g.votes-g.worn)*wornVotes+int(g.worn)*8*r.votes >= wornVotes*r.votes
}

// drawn is how many of its keys a record enters again, on average if its group has all of them.
const drawn = 3

// draw calls do with the bands of a record that are drawn.
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

// countWorn counts the votes by worn keys of the groups that have enough votes.
func (j *groupJudge) countWorn(keys []Key) {
	t := j.votes
	for _, w := range t.worn {
		if g := &t.groups[w.tag]; int(g.votes) >= j.params.Votes && !j.isSure(int(w.band), keys[w.band], w.tag) {
			g.worn++
		}
	}
}

// markKey is the key that has the n-th mark of a key.
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

// hasTag reports whether a generation has a key for a group.
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

// wear says which keys a record enters again that joins a group: those of a set as they are, those
// of the other bands as marks.
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

// mark enters the next mark that a generation has not of each of some bands, and reports whether
// there was room for any.
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

// bandMarks are up to three bands, each in 16 bits as its number plus one.
type bandMarks uint64

const mostMarks = 3

// with adds a band, unless there are three.
func (m bandMarks) with(band int) bandMarks {
	if m>>(16*(mostMarks-1)) != 0 {
		return m
	}
	return m<<16 | bandMarks(band+1)
}

// each calls do with the bands.
func (m bandMarks) each(do func(band int)) {
	for ; m != 0; m >>= 16 {
		if band := int(m & 0xffff); band > 0 {
			do(band - 1)
		}
	}
}

// A CrowdFound is a group whose keys are worn: many records resemble each other about as much as
// the threshold.
type CrowdFound struct {
	First   uint64 // number, from 1 on, of the first of Kept among the records since the index was opened
	Kept    uint64 // although they had enough votes of the group: too many were by worn keys
	Removed uint64 // for the group, or for others with its tag
}

// noteKept notes that the record that is being observed has enough votes of a group and is kept.
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

// Crowds are the crowds among the records that were observed since a tagged index was opened, in
// the order of their first records.
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

// Crowds is Index.Crowds.
func (s *Store) Crowds() []CrowdFound { return s.index.Crowds() }
