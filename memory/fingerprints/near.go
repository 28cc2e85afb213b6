package fingerprints

import (
	"cmp"
	"slices"
)

// Near appends to dst the k records of the index that are nearest to a fingerprint, or fewer, from
// the nearest on, the earlier of equal ones first. None is farther than the distance of the index.
// Nothing is remembered.
func (x *Index) Near(dst []Match, fingerprint []uint64, k int) ([]Match, error) {
	if len(fingerprint) != x.params.Words() {
		return dst, errSize
	}
	if x.err != nil {
		return dst, x.err
	}
	var found []Match
	x.finder.each(fingerprint, x.params.Distance, func(m Match) {
		if found = append(found, m); len(found) >= 2*k+1024 { // most of them are of no use
			found = nearest(found, k)
		}
	})
	return append(dst, nearest(found, k)...), nil
}

// nearest are the k nearest of some matches, in their order.
func nearest(matches []Match, k int) []Match {
	slices.SortFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Record, b.Record))
	})
	return matches[:min(len(matches), max(0, k))]
}
