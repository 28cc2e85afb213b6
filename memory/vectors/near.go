package vectors

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/memory"
)

// Near appends to dst the k records of the index with the largest cosines, or fewer, the largest
// first, the earlier of equal ones first. All of them are above 0, and in the lists that a search
// looks into. The threshold does not matter, and nothing is remembered.
func (x *Index) Near(dst []memory.Match, row []uint64, k int) ([]memory.Match, error) {
	if err := x.Ready(row); err != nil {
		return dst, err
	}
	if _, err := x.ask(row); err != nil {
		return dst, err
	}
	var all []found
	x.each(0, func(f found) { all = append(all, f) })
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.record, b.record))
	})
	for _, f := range all[:min(len(all), max(0, k))] {
		dst = append(dst, f.match())
	}
	return dst, nil
}
