package samples

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
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
	if x.params.hasSets() {
		all = all[:min(len(all), max(k, mostCompared))]
		for i, f := range all {
			exact, known, err := x.compare(f.entry)
			if err != nil {
				return dst, err
			}
			if known {
				all[i] = larger(f.entry, exact)
			}
		}
		slices.SortFunc(all, found.before)
	}
	for _, f := range all[:min(len(all), max(0, k))] {
		dst = append(dst, x.match(f))
	}
	return dst, nil
}

// Alike appends to dst all records of the index that make that of a sketch a duplicate, from the
// largest share on, the earlier of equal ones first. Records of equal samples are one, the first of
// them. They are at most Common for each hash of a sample; with sets those alone that are compared.
// Nothing is remembered.
func (x *Index) Alike(dst []memory.Match, words []uint64) ([]memory.Match, error) {
	if err := x.Ready(words); err != nil {
		return dst, err
	}
	x.enter(words)
	same, known, err := x.copyOf()
	if err != nil {
		return dst, err
	}
	alike, err := x.duplicates()
	if err != nil {
		return dst, err
	}
	if known {
		alike = slices.DeleteFunc(alike, func(f found) bool { return f.entry == same })
		alike = append(alike, found{entry: same, share: 1})
	}
	slices.SortFunc(alike, found.before)
	for _, f := range alike {
		dst = append(dst, x.match(f))
	}
	return dst, nil
}

// near returns all entries that share a hash with the record at hand which is not common, and that
// of the same sketch, by what the samples say, from the largest share on.
func (x *Index) near() (all []found, err error) {
	same, known, err := x.copyOf()
	if err != nil {
		return nil, err
	}
	if known {
		all = append(all, found{entry: same, share: 1})
	}
	for _, s := range x.tally.list {
		if of := x.estimate(s, 1); of != (shares{}) && !(known && s.entry == same) {
			all = append(all, larger(s.entry, of))
		}
	}
	slices.SortFunc(all, found.before)
	return all, nil
}
