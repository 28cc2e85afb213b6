package report

import (
	"cmp"
	"math/bits"
	"slices"
)

// Limits on what a page keeps of a stream of any length.
const (
	maxValues  = 1000    // distinct values of a field
	shownRows  = 30      // maximum rows of a table
	fewRows    = 10      // rows shown even without removed records
	maxBuckets = 120     // parts of the stream; an even number
	bins       = 50      // of a histogram
	maxLinks   = 1 << 18 // removed records whose group is tracked
	maxValue   = 200     // bytes of a value that are compared and shown
)

// A tally counts records by value. Values beyond the first maxValues are counted together.
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

// table sorts the values by removed records, since that is what readers look for. Values without
// any are listed if there are few. name returns the display name of a value.
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

// buckets divide a stream of unknown length into parts of equal length. When there are too many,
// neighbours are merged.
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

// addSimilarity counts a removed record; 0 means unknown.
func (h *Histogram) addSimilarity(similarity float64) {
	if similarity <= 0 {
		h.Unknown++
		return
	}
	if h.Bins == nil {
		h.Bins = make([]uint64, bins)
	}
	h.Bins[min(bins-1, int(similarity*bins+1e-6))]++ // .86 is not exact as a float32
}

// links groups removed records: each joins the group of its original.
type links struct {
	roots   map[uint64]uint64 // for each removed record the first record of its group
	sizes   map[uint64]uint64 // for each group, by its first record, the removed records
	limited bool
}

// add returns the first record of the group, and the size of the group now, or 0 and 0 if the limit
// is exceeded.
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
