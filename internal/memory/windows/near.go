package windows

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Near implements memory.Searcher.
func (m *Memory) Near(dst []memory.Match, sketch []uint64, k int) ([]memory.Match, error) {
	sketch = m.times.ofPresent(sketch, 1)
	return m.collect(dst, max(0, k), func(x memory.Index, to []memory.Match) ([]memory.Match, error) {
		return x.Near(to, sketch, k)
	})
}

// AppendDuplicates appends to dst all records that make a sketch a duplicate, in descending order
// of similarity and then in the order of records.
func (m *Memory) AppendDuplicates(dst []memory.Match, words []uint64) ([]memory.Match, error) {
	words = m.times.ofPresent(words, 1)
	return m.collect(dst, -1, func(x memory.Index, to []memory.Match) ([]memory.Match, error) {
		return memory.AppendDuplicates(x, to, words)
	})
}

// collect appends what the windows find, in descending order of similarity, at most most records
// unless that is negative.
func (m *Memory) collect(
	dst []memory.Match, most int, find func(memory.Index, []memory.Match) ([]memory.Match, error),
) ([]memory.Match, error) {
	first := len(dst)
	for _, w := range m.windows {
		start := len(dst)
		var err error
		if dst, err = find(w.index, dst); err != nil {
			return dst[:first], err
		}
		for i := range dst[start:] {
			dst[start+i] = w.inStream(dst[start+i])
		}
	}
	slices.SortStableFunc(dst[first:], func(a, b memory.Match) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Record, b.Record))
	})
	// a record that was early may be in two windows
	found := slices.CompactFunc(dst[first:], func(a, b memory.Match) bool { return a.Record == b.Record })
	dst = dst[:first+len(found)]
	if most >= 0 {
		dst = dst[:min(len(dst), first+most)]
	}
	return dst, nil
}

// CompareAll calls memory.CompareAll for the present windows, which affects Near and
// AppendDuplicates.
func (m *Memory) CompareAll(all bool) {
	for _, w := range m.windows {
		memory.CompareAll(w.index, all)
	}
}
