package bloomlsh

import "slices"

// Answers accumulate what indexes say about records before another index judges them, as if all of
// them were a single index. A band found in Bloom filters counts once, no matter how many indexes
// contain it. Groups belong to one tagged index, so if there are several such indexes, the one with
// the most votes counts.
type Answers struct {
	bands   int
	present []bool   // for each band of each record; empty if no index has Bloom filters
	votes   []uint16 // for each record; empty if no index is tagged
}

// Reset forgets all answers. Records have the given number of bands from now on.
func (a *Answers) Reset(bands int) {
	a.bands, a.present, a.votes = bands, a.present[:0], a.votes[:0]
}

// Votes returns the number of votes of record i.
func (a *Answers) Votes(i int) (votes uint16) {
	if a == nil {
		return 0
	}
	for _, present := range a.bandsOf(i) {
		if present {
			votes++
		}
	}
	return max(votes, a.groupVotes(i))
}

// bandsOf returns which bands of record i were found in Bloom filters.
func (a *Answers) bandsOf(i int) []bool {
	if a == nil || len(a.present) == 0 {
		return nil
	}
	return a.present[i*a.bands : (i+1)*a.bands]
}

// groupVotes returns the votes of record i in tagged indexes.
func (a *Answers) groupVotes(i int) uint16 {
	if a == nil || len(a.votes) == 0 {
		return 0
	}
	return a.votes[i]
}

// Present returns, for that many records, which of their bands were found in Bloom filters. The
// caller may read and set elements of the slice.
func (a *Answers) Present(records int) []bool {
	if len(a.present) == 0 {
		a.present = slices.Grow(a.present, records*a.bands)[:records*a.bands]
		clear(a.present)
	}
	return a.present
}

// GroupVotes returns, for that many records, their votes in tagged indexes. The caller may read and
// raise elements of the slice.
func (a *Answers) GroupVotes(records int) []uint16 {
	if len(a.votes) == 0 {
		a.votes = slices.Grow(a.votes, records)[:records]
		clear(a.votes)
	}
	return a.votes
}

// part returns the answers about records from … to-1.
func (a *Answers) part(from, to int) *Answers {
	if a == nil {
		return nil
	}
	part := &Answers{bands: a.bands}
	if len(a.present) > 0 {
		part.present = a.present[from*a.bands : to*a.bands]
	}
	if len(a.votes) > 0 {
		part.votes = a.votes[from:to]
	}
	return part
}

// fit reports whether the answers are about that many records of that many bands.
func (a *Answers) fit(records, bands int) bool {
	return a == nil || a.bands == bands && (len(a.present) == 0 || len(a.present) == records*bands) &&
		(len(a.votes) == 0 || len(a.votes) == records)
}
