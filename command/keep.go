package command

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/stream"
)

// representative is the record of a group that is kept, and that stands for it. The first of equals
// wins.
func (g *grouping) representative(records []uint64) uint64 {
	best := records[0]
	for _, record := range records[1:] {
		if g.isBetter(record, best) {
			best = record
		}
	}
	return best
}

// preferred are the records of a group in the order in which they would be kept.
func (g *grouping) preferred(records []uint64) []uint64 {
	records = slices.Clone(records)
	if g.c.Keep.Rule == "last" {
		slices.Reverse(records)
		return records
	}
	slices.SortStableFunc(records, func(a, b uint64) int {
		switch {
		case g.isBetter(a, b):
			return -1
		case g.isBetter(b, a):
			return 1
		}
		return 0
	})
	return records
}

// isBetter reports whether a record is to be kept rather than an earlier one.
func (g *grouping) isBetter(record, best uint64) bool {
	switch g.c.Keep.Rule {
	case "last":
		return true
	case "longest":
		return g.lengths[record-1] > g.lengths[best-1]
	case "shortest":
		return g.lengths[record-1] < g.lengths[best-1]
	case "max":
		return g.ranks.compare(record, best, false) > 0
	case "min":
		return g.ranks.compare(record, best, true) < 0
	}
	return false
}

// ranks is a sink that notes the value of a field of each record, as JSON.
type ranks struct {
	values []byte
	ends   []uint64 // where the value of each record ends
}

// Take notes the value of a record.
func (r *ranks) Take(d *stream.Decided) error {
	r.values = append(r.values, d.Rank...)
	r.ends = append(r.ends, uint64(len(r.values)))
	return nil
}

// Flush has nothing to do.
func (*ranks) Flush() error { return nil }

// at is the value of a record. An empty string, as columns have it, is none.
func (r *ranks) at(record uint64) []byte {
	start := uint64(0)
	if record > 1 {
		start = r.ends[record-2]
	}
	if value := r.values[start:r.ends[record-1]]; string(value) != `""` {
		return value
	}
	return nil
}

// compare orders numbers by their size and strings by their bytes, as the dates of ISO 8601 are. A
// column has strings only, which are numbers if they look like some. Any number is below any other
// string. A record without a value comes before all others, or if last after them.
func (r *ranks) compare(a, b uint64, last bool) int {
	x, y := r.at(a), r.at(b)
	if len(x) == 0 || len(y) == 0 {
		order := cmp.Compare(min(len(x), 1), min(len(y), 1))
		if last {
			return -order
		}
		return order
	}
	m, xText, xNumber := rankOf(x)
	n, yText, yNumber := rankOf(y)
	switch {
	case xNumber && yNumber:
		return cmp.Compare(m, n)
	case xNumber:
		return -1
	case yNumber:
		return 1
	}
	return cmp.Compare(xText, yText)
}

// rankOf reads a JSON number or string.
func rankOf(value []byte) (number float64, text string, isNumber bool) {
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, text, err == nil && number == number
}
