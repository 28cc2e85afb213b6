package samples

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Near appends to dst the k records with the largest share in common with a sketch, or fewer, in
// descending order and then in the order of records. Match.Contains says which text contains the
// other. It ignores the threshold and remembers nothing.
func (x *Index) Near(dst []memory.Match, words []uint64, k int) ([]memory.Match, error) {
	if err := x.Ready(words); err != nil {
		return dst, err
	}
	x.setCurrent(words)
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
		dst = append(dst, x.entries.match(f))
	}
	return dst, nil
}

// AppendDuplicates appends to dst all records that make a sketch a duplicate, in descending order
// of share and then in the order of records. Of records with equal samples only the first is
// listed. There are at most Common for each hash of a sample; with sets only those that are
// compared. Nothing is remembered.
func (x *Index) AppendDuplicates(dst []memory.Match, words []uint64) ([]memory.Match, error) {
	if err := x.Ready(words); err != nil {
		return dst, err
	}
	x.setCurrent(words)
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
		dst = append(dst, x.entries.match(f))
	}
	return dst, nil
}

// near returns all entries that share an uncommon hash with the current record, its near copies,
// and the one with the same sketch, in descending order of the share that the samples indicate.
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
	if all, err = x.withNearCopies(all); err != nil {
		return nil, err
	}
	slices.SortFunc(all, found.before)
	return all, nil
}

// withNearCopies adds the near copies that near keys find, or their shares if they are in the list.
func (x *Index) withNearCopies(all []found) ([]found, error) {
	x.alike = x.alike[:0]
	if err := x.findByKeys(true); err != nil {
		return nil, err
	}
	for _, f := range x.alike {
		i := slices.IndexFunc(all, func(other found) bool { return other.entry == f.entry })
		switch {
		case i < 0:
			all = append(all, f)
		case all[i].share < f.share:
			all[i] = f
		}
	}
	return all, nil
}
