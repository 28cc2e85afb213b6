package vectors

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
)

// NewGroups returns empty groups. They join pairs of vectors whose cosine reaches the threshold,
// searching as an Index does.
func NewGroups(p Params) (*memory.Joined, error) {
	if p.UnseenOnly {
		return nil, memory.ErrUnseenOnly
	}
	x, err := New(p)
	if err != nil {
		return nil, err
	}
	return memory.NewJoined(&neighbours{Index: x}, p.words()), nil
}

// neighbours implements memory.Neighbours for vectors.
type neighbours struct {
	*Index
	best found // for the current row
}

func (n *neighbours) FindIdentical(row []uint64) (entry uint32, known bool, err error) {
	if err := n.Ready(row); err != nil {
		return 0, false, err
	}
	n.best, err = n.searchRow(row)
	return uint32(n.best.record - 1), n.best.cosine == 1, err
}

func (n *neighbours) EachNear(do func(entry uint32), _ func(entry uint32) bool) {
	if n.best.record > 0 {
		n.each(n.params.Threshold, func(f found) { do(uint32(f.record - 1)) })
	}
}

func (n *neighbours) Add(entry uint32) error {
	n.add(uint64(entry)+1, int(n.nearest[0].list))
	return nil
}

// Cut returns 0, since a search compares the same number of rows however many of them are near.
func (n *neighbours) Cut() uint64 { return 0 }

func (n *neighbours) Similarity(a, b []uint64) (similarity float64, resemble bool) {
	row := n.bytes / 8
	if !slices.Equal(a[row:], b[row:]) { // the words of Params.Within
		return 0, false
	}
	cosine := rows.Cosine(a[:row], b[:row])
	return cosine, cosine >= n.params.Threshold
}

// Near appends to dst the k records with the largest cosines, or fewer, in descending order and
// then in the order of records. It searches the same lists as Observe and finds only cosines above
// 0. It ignores the threshold and remembers nothing.
func (x *Index) Near(dst []memory.Match, row []uint64, k int) ([]memory.Match, error) {
	if err := x.Ready(row); err != nil {
		return dst, err
	}
	if _, err := x.searchRow(row); err != nil {
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
