package pairs

import (
	"cmp"
	"slices"
)

// A match is a set that is similar to another.
type match struct {
	set        uint32
	keys       int
	similarity float64
}

// A prober looks up records. Each goroutine needs its own.
type prober struct {
	*part
	index   *index
	members *members
	// number of common keys, or common prefix elements, of each set with the current one; or unlike
	common  []int32
	touched []uint32 // the sets for which it is not 0
}

// unlike marks a set that cannot be similar enough.
const unlike = -1

// appendMatches appends the sets similar to the set of a record that have members from partners on,
// in ascending order, including its own set.
func (p *prober) appendMatches(found []match, record uint32) []match {
	set := p.setOf[record]
	if set == noSet {
		return found
	}
	partners := p.partnersFrom(record)
	first := p.members.from(partners)
	start := len(found)
	if own := p.members.of(set); own[len(own)-1] >= partners {
		found = append(found, p.itself(set))
	}
	if p.params.Votes > 0 {
		found = p.appendByKeys(found, set, first)
	} else {
		found = p.appendByPrefix(found, set, first)
	}
	for _, other := range p.touched {
		p.common[other] = 0
	}
	p.touched = p.touched[:0]
	slices.SortFunc(found[start:], func(a, b match) int { return cmp.Compare(a.set, b.set) })
	return found
}

// itself returns the match of a set with itself.
func (p *prober) itself(set uint32) (m match) {
	m.set = set
	if p.params.Votes > 0 {
		m.keys = p.index.keys[set].size()
	}
	if !p.params.Unverified {
		m.similarity = 1
	}
	return m
}

// appendByKeys appends the sets from first on that share enough keys.
func (p *prober) appendByKeys(found []match, set, first uint32) []match {
	for _, rank := range p.index.keys[set].ranks {
		list := p.index.of(rank)
		for i := len(list) - 1; i >= 0 && list[i].set >= first; i-- {
			other := list[i].set
			if p.common[other] == 0 {
				p.touched = append(p.touched, other)
			}
			p.common[other]++
		}
	}
	for _, other := range p.touched {
		keys := int(p.common[other])
		switch {
		case other == set || keys < p.params.Votes:
		case p.params.Unverified:
			found = append(found, match{set: other, keys: keys})
		default:
			if similarity, ok := p.verify(set, other); ok {
				found = append(found, match{other, keys, similarity})
			}
		}
	}
	return found
}

// appendByPrefix appends the similar sets from first on.
func (p *prober) appendByPrefix(found []match, set, first uint32) []match {
	s := &p.index.sets[set]
	size, least := s.size(), p.threshold.least(s.size())
	for at, rank := range p.lookupElements(s) {
		list := p.index.of(rank)
		for i := len(list) - 1; i >= 0 && list[i].set >= first; i-- {
			other := list[i].set
			if other == set || p.common[other] != 0 {
				continue
			}
			// the first common element: all others come after it
			p.touched = append(p.touched, other)
			o := &p.index.sets[other]
			rest := 1 + min(len(s.ranks)-at-1, o.size()-int(list[i].at)-1)
			if o.size() < least || rest < p.threshold.needed(size+o.size()) {
				p.common[other] = unlike
				continue
			}
			p.common[other] = 1
		}
	}
	for _, other := range p.touched {
		if p.common[other] == unlike {
			continue
		}
		if similarity, ok := p.verify(set, other); ok {
			found = append(found, match{set: other, similarity: similarity})
		}
	}
	return found
}

// verify compares two sets, and reports whether they are similar enough.
func (p *prober) verify(set, other uint32) (similar float64, ok bool) {
	a, b := &p.index.sets[set], &p.index.sets[other]
	together := a.size() + b.size()
	n := common(a.ranks, b.ranks, p.threshold.needed(together))
	if !p.threshold.isMet(n, together) {
		return 0, false
	}
	return similarity(n, together), true
}

// common counts common elements. It stops once there are certainly fewer than needed.
func common(a, b []uint32, needed int) (n int) {
	fewerA, fewerB := len(a)-needed, len(b)-needed // elements that may lack a counterpart
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch x, y := a[i], b[j]; {
		case x == y:
			n++
			i++
			j++
		case x < y:
			if i++; i-n > fewerA {
				return n
			}
		default:
			if j++; j-n > fewerB {
				return n
			}
		}
	}
	return n
}
