package groups

import (
	"bytes"
	"cmp"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/stream"
	"slices"
)

// representative returns the record of a group that is kept and represents it. The first of equal
// ones wins.
func (g *grouping) representative(records []uint64) uint64 {
	best := records[0]
	for _, record := range records[1:] {
		if g.compare(record, best) < 0 {
			best = record
		}
	}
	return best
}

// preferred returns the records of a group in order of preference.
func (g *grouping) preferred(records []uint64) []uint64 {
	records = slices.Clone(records)
	slices.SortStableFunc(records, g.compare)
	return records
}

// compare returns a negative number if record a is preferred to b, a positive number if b is
// preferred to a, and 0 if the earlier one of them is preferred.
func (g *grouping) compare(a, b uint64) int {
	field := 0 // of the next criterion that has one
	for _, c := range g.c.Keep {
		order := 0
		switch c.Rule {
		case values.KeepLast:
			order = cmp.Compare(b, a)
		case values.KeepLongest, values.KeepFullest:
			order = cmp.Compare(g.records.sizes[b-1], g.records.sizes[a-1])
		case values.KeepShortest:
			order = cmp.Compare(g.records.sizes[a-1], g.records.sizes[b-1])
		case values.KeepMax:
			order = g.records.ranks.compare(b, a, field, false)
		case values.KeepMin:
			order = g.records.ranks.compare(a, b, field, true)
		}
		if order != 0 {
			return order
		}
		if c.Field != "" {
			field++
		}
	}
	return 0
}

// ranks is a sink that notes the ranks of each record by some fields.
type ranks struct {
	from   int // index of the first value that ranks records, of those that sinks receive
	fields int // that rank records
	values []byte
	ends   []uint64 // where each rank ends: of all fields of the first record, then of the second
}

// Observe notes the ranks of a record.
func (r *ranks) Observe(d *stream.Decided) error {
	for _, value := range d.Fields[r.from:][:r.fields] {
		r.values = appendRank(r.values, value)
		r.ends = append(r.ends, uint64(len(r.values)))
	}
	return nil
}

// at returns the rank of a record by a field.
func (r *ranks) at(record uint64, field int) []byte {
	i := (record-1)*uint64(r.fields) + uint64(field)
	start := uint64(0)
	if i > 0 {
		start = r.ends[i-1]
	}
	return r.values[start:r.ends[i]]
}

// compare compares the ranks of two records. A record without a rank comes before all others, or
// after them if last is set.
func (r *ranks) compare(a, b uint64, field int, last bool) int {
	x, y := r.at(a, field), r.at(b, field)
	if bytes.Equal(x, y) {
		return 0
	}
	return compareRanks(x, y, last)
}
