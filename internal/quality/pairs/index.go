package pairs

import "context"

// An index lists the sets that have an element in their prefix, or a key.
type index struct {
	sets     []ranked // by new number; empty if nothing is verified
	keys     []ranked // likewise; empty if there are no keys
	starts   []uint64 // where the postings of each element or key begin, and the end of all
	postings []posting
}

// A posting is a set that has an element, and the number of its elements before it.
type posting struct{ set, at uint32 }

// index builds the index, and discards the collections.
func (p *part) index(ctx context.Context, m *members) (*index, error) {
	x := &index{}
	elements, err := rankAll(ctx, &p.sets, m.order, &x.sets)
	if err != nil {
		return nil, err
	}
	if p.params.Votes > 0 {
		if elements, err = rankAll(ctx, &p.keys, m.order, &x.keys); err != nil {
			return nil, err
		}
	}
	return x, x.fill(ctx, elements, p)
}

// rankAll ranks the sets of a collection, and returns the number of elements that several sets
// have.
func rankAll(ctx context.Context, c *collection, order []uint32, to *[]ranked) (elements int, err error) {
	if c.elements == 0 {
		return 0, nil
	}
	frequencies, err := c.shared(ctx)
	if err != nil {
		return 0, err
	}
	*to, err = c.ranked(ctx, rankOf(frequencies), order)
	return len(frequencies), err
}

// fill builds the postings in two passes; the first one counts.
func (x *index) fill(ctx context.Context, elements int, p *part) error {
	indexed := x.keys
	if p.params.Votes == 0 {
		indexed = x.sets
	}
	x.starts = make([]uint64, elements+1)
	for i := range indexed {
		for _, rank := range p.lookupElements(&indexed[i]) {
			x.starts[rank]++
		}
	}
	total := uint64(0)
	for i, n := range x.starts {
		x.starts[i] = total
		total += n
	}
	x.postings = make([]posting, total)
	next := append([]uint64(nil), x.starts...)
	for i := range indexed {
		if i%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		alone := indexed[i].alone
		for at, rank := range p.lookupElements(&indexed[i]) {
			x.postings[next[rank]] = posting{uint32(i), alone + uint32(at)}
			next[rank]++
		}
	}
	return nil
}

// lookupElements returns the elements by which a set is looked up: those of its prefix that other
// sets have too, or all keys.
func (p *part) lookupElements(set *ranked) []uint32 {
	if p.params.Votes > 0 {
		return set.ranks
	}
	return set.ranks[:max(0, p.threshold.prefix(set.size())-int(set.alone))]
}

// of returns the sets that have an element or a key, in ascending order.
func (x *index) of(rank uint32) []posting { return x.postings[x.starts[rank]:x.starts[rank+1]] }
