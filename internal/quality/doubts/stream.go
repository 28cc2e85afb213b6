package doubts

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A Part is a part of a run: how many records it has, and how many of them were removed.
type Part struct{ Records, Removed uint64 }

const (
	leastClimbing = 10_000 // records of a run

	// If each record has its copies anywhere in a run, the share that is removed grows in
	// proportion: that of the last tenth is 3.8 times that of the first half. If votes of unrelated
	// records add up, it grows faster, and continues to the end.
	climbs     = 4.5
	leastAtEnd = .2
	leastStep  = .05 // of the share at the end, from each tenth of the second half to the next
)

// OfStream examines the parts of a run, in order, which have about the same number of records.
func OfStream(parts []Part) []Doubt {
	var tenths [10]Part
	var all uint64
	for i, p := range parts {
		of := &tenths[i*len(tenths)/len(parts)]
		of.Records, of.Removed, all = of.Records+p.Records, of.Removed+p.Removed, all+p.Records
	}
	if all < leastClimbing {
		return nil
	}
	share := func(i int) float64 { return float64(tenths[i].Removed) / float64(max(1, tenths[i].Records)) }
	firstHalf, atEnd := 0., share(9)
	for i := range 5 {
		firstHalf += share(i) / 5
	}
	if atEnd < leastAtEnd || atEnd < climbs*firstHalf {
		return nil
	}
	for i := 5; i < 9; i++ {
		if share(i+1)-share(i) < leastStep*atEnd {
			return nil
		}
	}
	return []Doubt{{"climbs", fmt.Sprintf("the share that is removed climbs to the end: %.0f %% of the first half, "+
		"%.0f %% of the last tenth", 100*firstHalf, 100*atEnd),
		"look at records that were removed there; if they are unlike any, use --memory exact"}}
}

const (
	// CloseBy is the distance from the threshold within which pairs count as close to it. On five
	// corpora up to a quarter of the removed records that are not equal to another one are.
	CloseBy    = .05
	mostlyNear = .5
)

// OfSimilarities examines how similar removed records are to their originals: how many of those
// that are not equal to theirs are within CloseBy of the threshold. records is the number of all
// records of the run.
func OfSimilarities(close, unequal, records uint64) []Doubt {
	if records < leastRecords || float64(unequal) <= leastRemoved*float64(records) ||
		float64(close) <= mostlyNear*float64(unequal) {
		return nil
	}
	return []Doubt{{"hill", fmt.Sprintf("%s of the %s whose original is not the same are within %g of the threshold, "+
		"which lies on a hill of such pairs", units.Count(close), units.Of(unequal, "removed record"), CloseBy),
		"look at the pairs closest to it, and choose a --threshold with few pairs around it"}}
}
