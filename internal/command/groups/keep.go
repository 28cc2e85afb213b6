package groups

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/stream"
)

// representative returns the record of a group that is kept and represents it. The first of equal
// ones wins.
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
	case "longest", "fullest":
		return g.records.sizes[record-1] > g.records.sizes[best-1]
	case "shortest":
		return g.records.sizes[record-1] < g.records.sizes[best-1]
	case "max":
		return g.records.ranks.compare(record, best, false) > 0
	case "min":
		return g.records.ranks.compare(record, best, true) < 0
	}
	return false
}

// ranks is a sink that notes the rank of each record.
type ranks struct {
	values []byte
	ends   []uint64 // where the rank of each record ends
}

// Observe notes the rank of a record.
func (r *ranks) Observe(d *stream.Decided) error {
	r.values = appendRank(r.values, d.Rank)
	r.ends = append(r.ends, uint64(len(r.values)))
	return nil
}

// at is the rank of a record.
func (r *ranks) at(record uint64) []byte {
	start := uint64(0)
	if record > 1 {
		start = r.ends[record-2]
	}
	return r.values[start:r.ends[record-1]]
}

// compare orders records by their ranks. One without a rank comes before all others, or if last
// after them.
func (r *ranks) compare(a, b uint64, last bool) int {
	return compareRanks(r.at(a), r.at(b), last)
}
