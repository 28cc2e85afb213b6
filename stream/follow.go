package stream

import "github.com/mithril-stream/mithril-stream/internal/hashset"

// Names are hashes of the names by which other records may refer to a record, such as its ID in a
// web archive. 0 is no name.
type Names [3]uint64

// Followers counts records that refer to another record and contain nothing to judge themselves.
type Followers struct {
	Removed uint64 `json:"removed"`          // with the record that they refer to
	Unknown uint64 `json:"without_original"` // kept, though the run has not read what they refer to
}

// namesPerGeneration limits the memory for names: each takes 16 to 48 bytes, and there are two
// generations. A record has three names, so a record is forgotten after 700,000 to 1,400,000
// others.
const namesPerGeneration = 1 << 21

// A trail knows what happened to recent records, for the records that refer to them. It is nil if
// such records are not written, and if they stay in any case.
type trail struct {
	recent, older *whereabouts
	most          int // names of a generation
}

// whereabouts are the names of one generation.
type whereabouts struct {
	left, stayed hashset.Set
	names        int
}

func newTrail(o *Options) *trail {
	if o.Checkpoints != nil || o.AsideStay || o.converts(toOutput) {
		return nil
	}
	return &trail{recent: new(whereabouts), older: new(whereabouts), most: namesPerGeneration}
}

// note records the fate of a record.
func (t *trail) note(names Names, stays bool) {
	if t == nil || names == (Names{}) {
		return
	}
	if t.recent.names >= t.most {
		t.older, t.recent = t.recent, new(whereabouts)
	}
	to := &t.recent.left
	if stays {
		to = &t.recent.stayed
	}
	for _, name := range names {
		if name != 0 && to.Add(name) {
			t.recent.names++
		}
	}
}

// find returns what happened to the record that has one of the names; the first known name decides.
// If two records have that name and one of them stayed, the reference is still valid.
func (t *trail) find(names Names) (stays, known bool) {
	for _, name := range names {
		if name == 0 {
			continue
		}
		if t.recent.stayed.Has(name) || t.older.stayed.Has(name) {
			return true, true
		}
		if t.recent.left.Has(name) || t.older.left.Has(name) {
			return false, true
		}
	}
	return true, false
}

// decideAside decides about a record that is not judged. It stays unless the record that it refers
// to was removed.
func (c *committer) decideAside(b *batch, i int) Decision {
	if b.piece > FirstPiece {
		return c.partial.decision
	}
	c.partial.decision = Decision{Fate: Aside}
	refersTo := b.framed.List[i].RefersTo
	if c.trail == nil || refersTo == (Names{}) {
		return c.partial.decision
	}
	switch stays, known := c.trail.find(refersTo); {
	case !known:
		c.stats.Followers.Unknown++
	case !stays:
		c.stats.Followers.Removed++
		c.partial.decision.Fate = Follower
	}
	return c.partial.decision
}
