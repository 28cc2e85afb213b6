// Package sets compares sets of hashes with all earlier ones, exactly.
package sets

import "slices"

// Of makes a set of hashes, in their place: sorted, each once.
func Of(hashes []uint64) []uint64 {
	slices.Sort(hashes)
	return slices.Clip(slices.Compact(hashes))
}

// Earlier are the sets that were added, by numbers from 0 on.
type Earlier struct {
	lists  map[uint64][]int32 // of the sets that have a hash
	sizes  []int
	common []int32 // scratch, by set
	met    []int32 // scratch: those that are not 0
	found  []Overlap
}

// An Overlap is an earlier set that has hashes in common with another.
type Overlap struct {
	Earlier, Common int
	Jaccard         float64
}

// Overlaps returns the earlier sets that a set shares a hash with. They are valid until the next
// call.
func (e *Earlier) Overlaps(set []uint64) []Overlap {
	e.met, e.found = e.met[:0], e.found[:0]
	for _, hash := range set {
		for _, earlier := range e.lists[hash] {
			if e.common[earlier] == 0 {
				e.met = append(e.met, earlier)
			}
			e.common[earlier]++
		}
	}
	for _, earlier := range e.met {
		both := int(e.common[earlier])
		union := len(set) + e.sizes[earlier] - both
		e.found = append(e.found, Overlap{int(earlier), both, float64(both) / float64(union)})
		e.common[earlier] = 0
	}
	return e.found
}

// Add adds a set. One without hashes takes a number, and overlaps with none.
func (e *Earlier) Add(set []uint64) {
	if e.lists == nil {
		e.lists = map[uint64][]int32{}
	}
	for _, hash := range set {
		e.lists[hash] = append(e.lists[hash], int32(len(e.sizes)))
	}
	e.sizes, e.common = append(e.sizes, len(set)), append(e.common, 0)
}

// AddUnlike adds a set unless its Jaccard similarity with an earlier one is as much as alike, and
// reports whether it did.
func (e *Earlier) AddUnlike(set []uint64, alike float64) bool {
	if slices.ContainsFunc(e.Overlaps(set), func(o Overlap) bool { return o.Jaccard >= alike }) {
		return false
	}
	e.Add(set)
	return true
}
