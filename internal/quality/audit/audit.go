package audit

import (
	"errors"
	"fmt"
	"slices"
)

// An Audit samples the removed and the kept records of a stream, and compares them with all earlier
// records. It needs the records three times, in order: for Show, for Query, and for Compare up to
// the last sampled record. It is not safe for concurrent use.
type Audit struct {
	removed, kept *Sample
	records       uint64 // of the stream
	isKept        bitmap // records by their numbers
	nearest       Nearest
	order         []uint64 // the records of both samples, in stream order
	tooLong       int      // sampled records without a set
	beside        *Audit   // of the same samples by other texts; may be nil
	seen          string   // name of these texts
}

// New returns an Audit of at most that many removed, and as many kept, records.
func New(most int, seed uint64, by Measure) *Audit {
	return &Audit{removed: NewSample(most, seed), kept: NewSample(most, seed+1), nearest: Nearest{Measure: by}}
}

// ErrChanged is the error of a pass that finds fewer or more records than the first one.
var ErrChanged = errors.New("the input has changed since it was first read: run again when nothing writes to it")

// Show passes the verdict on a record that can be sampled. Records are numbered from 1.
func (a *Audit) Show(number uint64, isRemoved bool) {
	a.Pass(number)
	if isRemoved {
		a.removed.Show(number)
	} else {
		a.kept.Show(number)
		a.isKept.add(number)
	}
}

// Pass notes a record that cannot be sampled, since it has no text.
func (a *Audit) Pass(number uint64) { a.records = max(a.records, number) }

// Records returns the number of records in the first pass.
func (a *Audit) Records() uint64 { return a.records }

// Draw ends the first pass. It returns the last sampled record, or 0 if no record was sampled.
func (a *Audit) Draw() (last uint64) {
	a.order = slices.Sorted(slices.Values(slices.Concat(a.removed.Numbers, a.kept.Numbers)))
	if len(a.order) > 0 {
		last = a.order[len(a.order)-1]
	}
	return last
}

// Beside returns an Audit of the same samples, to be compared by other texts of the records, which
// are called seen. Call it after Draw. Find returns what it finds as Finding.Beside.
func (a *Audit) Beside(seen string) *Audit {
	a.beside = &Audit{
		removed: a.removed, kept: a.kept, nearest: Nearest{Measure: a.nearest.Measure}, order: a.order, seen: seen,
	}
	return a.beside
}

// Query passes the shingle set of a record, empty if it cannot be compared. Every record up to the
// last sampled one must be passed.
func (a *Audit) Query(number uint64, set []uint64) {
	if asked := a.nearest.Len(); asked < len(a.order) && a.order[asked] == number {
		if len(set) == 0 {
			a.tooLong++
		}
		a.nearest.Query(number, set)
	}
}

// Compare compares a record with the sampled ones after it.
func (a *Audit) Compare(number uint64, set []uint64) { a.nearest.Compare(number, set) }

// Find evaluates the samples.
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
	f.Removed.Nearest, f.Kept.Nearest, f.TooLong, f.Measure = bin(removed), bin(kept), a.tooLong, a.nearest.Measure
	if a.beside != nil {
		beside := a.beside.Find(threshold)
		beside.Seen = a.beside.seen
		f.Beside = &beside
	}
	return f
}

// from holds the lower bounds of the bins.
var from = []float64{1, .95, .9, .85, .8, .75, .7, .6, .5, 0}

// A Bin counts the sampled records whose nearest earlier record has a similarity of From or more,
// up to the previous bin.
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

// BinName describes the similarities in a bin.
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
