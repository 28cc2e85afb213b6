package samples

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/memory"
)

// Near appends to dst the k records of the index of which the most is in the text of a sketch, or
// that have the most of it, or fewer, from the largest share on, the earlier of equal ones first.
// Match.Contains says which way it is. The threshold does not matter, and nothing is remembered.
func (x *Index) Near(dst []memory.Match, words []uint64, k int) ([]memory.Match, error) {
	if err := x.Ready(words); err != nil {
		return dst, err
	}
	x.enter(words)
	x.count()
	all, err := x.near()
	if err != nil {
		return dst, err
	}
	if x.params.Sets {
		all = all[:min(len(all), max(k, mostCompared))]
		for i, f := range all {
			exact, err := x.compare(f.entry, f.shares)
			if err != nil {
				return dst, err
			}
			all[i] = candidate{larger(f.entry, exact), exact}
		}
		slices.SortFunc(all, func(a, b candidate) int { return a.before(b.found) })
	}
	for _, f := range all[:min(len(all), max(0, k))] {
		dst = append(dst, x.match(f.found))
	}
	return dst, nil
}

// near returns all entries that share a hash with the record at hand which is not common, and that
// of the same sketch, by what the samples say, from the largest share on.
func (x *Index) near() (all []candidate, err error) {
	same, known, err := x.copyOf()
	if err != nil {
		return nil, err
	}
	if known {
		one := shares{in: 1, of: 1}
		all = append(all, candidate{larger(same, one), one})
	}
	for _, s := range x.tally.list {
		if of := x.estimate(s, 1); of != (shares{}) && !(known && s.entry == same) {
			all = append(all, candidate{larger(s.entry, of), of})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return a.before(b.found) })
	return all, nil
}
