package audit

import (
	"fmt"
	"slices"
)

// An Audit draws some of the removed records of a stream, and some of those kept, and compares them
// with all earlier records. Three readings tell it of all records, in their order: Show, then Ask
// and Compare up to the last record that was drawn. It is not safe for concurrent use.
type Audit struct {
	removed, kept *Sample
	nearest       Nearest
	order         []uint64 // the records of both samples, in the order of the stream
	tooLong       int      // of them, those without a set
}

// New begins an audit of at most so many removed records, and as many kept ones.
func New(most int, seed uint64, by Measure) *Audit {
	return &Audit{removed: NewSample(most, seed), kept: NewSample(most, seed+1), nearest: Nearest{Measure: by}}
}

// Show takes in the verdict on a record.
func (a *Audit) Show(number uint64, isRemoved bool) {
	if isRemoved {
		a.removed.Show(number)
	} else {
		a.kept.Show(number)
	}
}

// Draw ends the first reading. It returns the last record that was drawn, or 0 if there is none.
func (a *Audit) Draw() (last uint64) {
	a.order = slices.Sorted(slices.Values(slices.Concat(a.removed.Numbers, a.kept.Numbers)))
	if len(a.order) > 0 {
		last = a.order[len(a.order)-1]
	}
	return last
}

// Ask takes in the set of shingles of a record. It is empty of one that cannot be compared.
func (a *Audit) Ask(number uint64, set []uint64) {
	if asked := a.nearest.Len(); asked < len(a.order) && a.order[asked] == number {
		if len(set) == 0 {
			a.tooLong++
		}
		a.nearest.Ask(number, set)
	}
}

// Compare compares a record with the samples that come after it.
func (a *Audit) Compare(number uint64, set []uint64) { a.nearest.Compare(number, set) }

// Find says what the samples mean.
func (a *Audit) Find(threshold float64) Finding {
	of := map[uint64]float64{}
	for i, number := range a.order {
		of[number] = a.nearest.Similarity(i)
	}
	similarities := func(s *Sample) (list []float64) {
		for _, number := range s.Numbers {
			list = append(list, of[number])
		}
		return list
	}
	removed, kept := similarities(a.removed), similarities(a.kept)
	f := EstimateAt(threshold, a.removed, a.kept, removed, kept)
	f.NearestRemoved, f.NearestKept, f.TooLong, f.Measure = bin(removed), bin(kept), a.tooLong, a.nearest.Measure
	return f
}

// from are the lower ends of the bins.
var from = []float64{1, .95, .9, .85, .8, .75, .7, .6, .5, 0}

// A Bin counts records of a sample whose nearest earlier record has a similarity from From on, up
// to the bin before.
type Bin struct {
	From    float64 `json:"from"`
	Records int     `json:"records"`
}

func bin(similarities []float64) []Bin {
	bins := make([]Bin, len(from))
	for i := range from {
		bins[i].From = from[i]
	}
	for _, s := range similarities {
		bins[slices.IndexFunc(bins, func(b Bin) bool { return s >= b.From })].Records++
	}
	return bins
}

// BinName says which similarities are in a bin.
func BinName(i int) string {
	switch from[i] {
	case 1:
		return "equal, 1"
	case 0:
		return fmt.Sprintf("below %g", from[i-1])
	default:
		return fmt.Sprintf("%g or more", from[i])
	}
}
