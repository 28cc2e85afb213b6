package report

import (
	"cmp"
	"math/bits"
	"slices"
)

// What a page keeps of a stream of any length.
const (
	maxValues  = 1000    // values of a field that are told apart
	shownRows  = 30      // of them, those that stand in the table at most
	fewRows    = 10      // and those that stand there even if no record of them was removed
	maxBuckets = 120     // parts of the stream; an even number
	bins       = 50      // of a histogram
	maxLinks   = 1 << 18 // removed records of which the group is known
	maxValue   = 200     // bytes of a value that are told apart and shown
)

// A tally counts records by a value. Values beyond the first maxValues are counted together.
type tally struct {
	rows   map[string]*Row
	untold Row
}

func (t *tally) add(value []byte, removed bool) {
	row := t.rows[string(value[:min(len(value), maxValue)])]
	if row == nil {
		row = t.new(string(value[:min(len(value), maxValue)]))
	}
	row.Records++
	if removed {
		row.Removed++
	}
}

func (t *tally) new(value string) *Row {
	if len(t.rows) >= maxValues {
		return &t.untold
	}
	if t.rows == nil {
		t.rows = map[string]*Row{}
	}
	t.rows[value] = &Row{Value: value}
	return t.rows[value]
}

// table sorts the values by how many records of them were removed, since that is what a reader
// looks for. Values of which none were stand there if there are few. name is what a value is
// called.
func (t *tally) table(by string, name func(string) string) Table {
	table := Table{By: by, Untold: t.untold.Records > 0, Other: t.untold}
	for value, row := range t.rows {
		table.Rows = append(table.Rows, Row{name(value), row.Records, row.Removed})
	}
	slices.SortFunc(table.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Removed, a.Removed), cmp.Compare(b.Records, a.Records),
			cmp.Compare(a.Value, b.Value))
	})
	shown := 0
	for shown < min(shownRows, len(table.Rows)) && (shown < fewRows || table.Rows[shown].Removed > 0) {
		shown++
	}
	for _, row := range table.Rows[shown:] {
		table.Others++
		table.Other.Records += row.Records
		table.Other.Removed += row.Removed
	}
	table.Rows = table.Rows[:shown]
	return table
}

// buckets cut a stream of unknown length into parts of equal length. When there are too many of
// them, neighbours are merged.
type buckets struct {
	list  []Bucket
	width uint64
	count uint64 // of all records
}

func (b *buckets) add(removed bool) {
	b.count++
	if last := len(b.list) - 1; last < 0 || b.list[last].Records == b.width {
		if len(b.list) == maxBuckets {
			b.merge()
		}
		b.width = max(b.width, 1)
		b.list = append(b.list, Bucket{First: b.count})
	}
	last := &b.list[len(b.list)-1]
	last.Records++
	if removed {
		last.Removed++
	}
}

func (b *buckets) merge() {
	for i := 0; i < maxBuckets; i += 2 {
		left, right := b.list[i], b.list[i+1]
		b.list[i/2] = Bucket{left.First, left.Records + right.Records, left.Removed + right.Removed}
	}
	b.list, b.width = b.list[:maxBuckets/2], 2*b.width
}

// addSimilarity counts a removed record. A similarity of 0 is one that is not known.
func (h *Histogram) addSimilarity(similarity float64) {
	if similarity <= 0 {
		h.Unknown++
		return
	}
	if h.Bins == nil {
		h.Bins = make([]uint64, bins)
	}
	h.Bins[min(bins-1, int(similarity*bins+1e-6))]++ // a share such as .86 is not exact as a float32
}

// links join removed records to groups: each to the group of the record that it resembles.
type links struct {
	roots   map[uint64]uint64 // of removed records: the first record of the group
	sizes   map[uint64]uint64 // of groups, by that record: how many were removed
	limited bool
}

// add returns the first record of the group, and how many records the group has now. They are 0 if
// there is no room to know it.
func (l *links) add(record, original uint64) (root, size uint64) {
	if len(l.roots) >= maxLinks {
		l.limited = true
		return 0, 0
	}
	if l.roots == nil {
		l.roots, l.sizes = map[uint64]uint64{}, map[uint64]uint64{}
	}
	root, removed := l.roots[original]
	if !removed {
		root = original
	}
	l.roots[record] = root
	l.sizes[root]++
	return root, l.sizes[root] + 1
}

// summary counts the groups by powers of two.
func (l *links) summary() Sizes {
	s := Sizes{Counted: uint64(len(l.roots)), Limited: l.limited}
	var rows [65]Size
	for _, removed := range l.sizes {
		size := removed + 1
		at := bits.Len64(size - 1) // 2, 3 to 4, 5 to 8, ...
		rows[at].From, rows[at].To = 1<<(at-1)+1, 1<<at
		rows[at].Groups++
		rows[at].Records += size
		s.Largest = max(s.Largest, size)
	}
	for _, row := range rows {
		if row.Groups > 0 {
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}
