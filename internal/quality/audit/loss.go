package audit

import (
	"cmp"
	"slices"
)

// mostWorst is the maximum number of records that a LossFinding names.
const mostWorst = 20

// A Loss measures what removals lose: the share of the shingles of each sampled removed record that
// no kept record contains. It needs the shingles of the sampled records, for Query, and then those
// of all records, for Keep. It is not safe for concurrent use.
type Loss struct {
	removed *Sample
	isKept  bitmap
	order   []uint64   // the sample in stream order
	sets    [][]uint64 // of the records in order, up to the last one passed to Query
	grams   *Grams
	tooLong int
}

// Loss returns a Loss for the sampled removed records. Call it after Draw.
func (a *Audit) Loss() *Loss {
	return &Loss{removed: a.removed, isKept: a.isKept, order: slices.Sorted(slices.Values(a.removed.Numbers))}
}

// Last returns the last sampled record, or 0 if none was removed.
func (l *Loss) Last() uint64 {
	if len(l.order) == 0 {
		return 0
	}
	return l.order[len(l.order)-1]
}

// Query passes the distinct shingles of a record, none if it has too many. All records must come up
// to the last sampled one, in order.
func (l *Loss) Query(number uint64, set []uint64) {
	if asked := len(l.sets); asked < len(l.order) && l.order[asked] == number {
		l.sets = append(l.sets, slices.Clone(set))
		if len(set) == 0 {
			l.tooLong++
		}
	}
}

// Grams returns the Grams of the sampled records. Call it after the last of them was passed to
// Query.
func (l *Loss) Grams() *Grams {
	if l.grams == nil {
		l.grams = newGrams(l.sets)
	}
	return l.grams
}

// Keep passes the shingles of a record that Grams.Append has found. Those of a removed one do not
// count.
func (l *Loss) Keep(number uint64, found []uint64) {
	if l.isKept.has(number) {
		l.Grams().keep(found)
	}
}

// A LossFinding is the result of a Loss.
type LossFinding struct {
	Records uint64      `json:"-"`                  // removed records
	Sample  int         `json:"sample"`             // removed records that were measured
	TooLong int         `json:"too_long,omitempty"` // sampled records with too many shingles, which were not measured
	Shingle int         `json:"shingle"`            // tokens in a shingle, which the caller knows
	Above   []LossAbove `json:"above"`
	Worst   []LostFrom  `json:"worst"` // sampled records, those that lose most first
}

// LossAbove counts the removed records that lose more than a share of their shingles.
type LossAbove struct {
	Share   float64 `json:"share"`
	Sample  int     `json:"sample"`
	Removed Count   `json:"removed"`
}

// LostFrom describes what is lost of a record.
type LostFrom struct {
	Number uint64  `json:"-"`      // of the record
	Name   string  `json:"record"` // its input and its number there
	Share  float64 `json:"share"`  // of its shingles
	Text   string  `json:"text"`   // the longest passage that is lost; empty if it is too far behind
	lost   int     // number of shingles
}

// lossesFrom holds the shares for which losses are counted.
var lossesFrom = []float64{.5, .2, .1, .05, 0}

// Serious is the share above which a loss is worth reading: one sentence in five.
const Serious = .2

// Serious returns the count of the records with a serious loss.
func (f *LossFinding) Serious() LossAbove {
	return f.Above[slices.IndexFunc(f.Above, func(a LossAbove) bool { return a.Share == Serious })]
}

// Find evaluates the sample.
func (l *Loss) Find() *LossFinding {
	f := &LossFinding{Records: l.removed.Of, TooLong: l.tooLong, Worst: []LostFrom{}}
	above := make([]int, len(lossesFrom))
	for i, set := range l.sets {
		if len(set) == 0 {
			continue
		}
		f.Sample++
		of := LostFrom{Number: l.order[i], lost: l.lost(set)}
		of.Share = float64(of.lost) / float64(len(set))
		for j, share := range lossesFrom {
			if of.Share > share {
				above[j]++
			}
		}
		if of.lost > 0 {
			f.Worst = append(f.Worst, of)
		}
	}
	for i, n := range above {
		f.Above = append(f.Above, LossAbove{lossesFrom[i], n, countOf(n, f.Sample, f.Records, 1-Confidence)})
	}
	slices.SortFunc(f.Worst, func(a, b LostFrom) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.lost, a.lost), cmp.Compare(a.Number, b.Number))
	})
	f.Worst = f.Worst[:min(len(f.Worst), mostWorst)]
	return f
}

// lost counts the shingles that no kept record contains.
func (l *Loss) lost(set []uint64) (count int) {
	for _, h := range set {
		if l.Grams().isLost(h) {
			count++
		}
	}
	return count
}

// A bitmap is a set of small numbers.
type bitmap []uint64

func (b *bitmap) add(number uint64) {
	for uint64(len(*b)) <= number/64 {
		*b = append(*b, 0)
	}
	(*b)[number/64] |= 1 << (number % 64)
}

func (b bitmap) has(number uint64) bool {
	return number/64 < uint64(len(b)) && b[number/64]>>(number%64)&1 == 1
}
