package fingerprints

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/memory"
)

// Near appends to dst the k records of the index that are nearest to a fingerprint, or fewer, from
// the nearest on, the earlier of equal ones first. None is farther than the distance of the index.
// Nothing is remembered.
func (x *Index) Near(dst []memory.Match, fingerprint []uint64, k int) ([]memory.Match, error) {
	if err := x.Ready(fingerprint); err != nil {
		return dst, err
	}
	var found []hit
	x.finder.each(fingerprint, x.params.Distance, func(h hit) {
		if found = append(found, h); len(found) >= 2*k+1024 { // most of them are of no use
			found = nearest(found, k)
		}
	})
	for _, h := range nearest(found, k) {
		dst = append(dst, x.match(h))
	}
	return dst, nil
}

// nearest are the k nearest of some hits, in their order.
func nearest(hits []hit, k int) []hit {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Record, b.Record))
	})
	return hits[:min(len(hits), max(0, k))]
}
