package bloomlsh

import "slices"

// Answers are what indexes say about records before another one judges them, as if all of them
// were one index. A band of a Bloom filter counts once, whichever indexes have it. The groups of a
// tagged index are its own, so of several such indexes the one with the most votes counts.
type Answers struct {
	bands   int
	present []bool   // each band of each record; empty if no index has Bloom filters
	votes   []uint16 // each record; empty if no index is tagged
}

// Reset forgets all answers. The next records have that number of bands.
func (a *Answers) Reset(bands int) {
	a.bands, a.present, a.votes = bands, a.present[:0], a.votes[:0]
}

// Votes is how many votes record i has.
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

// bandsOf are the bands of record i that Bloom filters have.
func (a *Answers) bandsOf(i int) []bool {
	if a == nil || len(a.present) == 0 {
		return nil
	}
	return a.present[i*a.bands : (i+1)*a.bands]
}

// groupVotes are the votes that tagged indexes have for record i.
func (a *Answers) groupVotes(i int) uint16 {
	if a == nil || len(a.votes) == 0 {
		return 0
	}
	return a.votes[i]
}

// Present returns, for that many records, which of their bands Bloom filters have. The slice is
// both read and set.
func (a *Answers) Present(records int) []bool {
	if len(a.present) == 0 {
		a.present = slices.Grow(a.present, records*a.bands)[:records*a.bands]
		clear(a.present)
	}
	return a.present
}

// GroupVotes returns, for that many records, their votes by tagged indexes. The slice is both read
// and raised.
func (a *Answers) GroupVotes(records int) []uint16 {
	if len(a.votes) == 0 {
		a.votes = slices.Grow(a.votes, records)[:records]
		clear(a.votes)
	}
	return a.votes
}

// part are the answers about the records from one to before another.
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

// fit reports whether the answers are about that many records with that many bands.
func (a *Answers) fit(records, bands int) bool {
	return a == nil || a.bands == bands && (len(a.present) == 0 || len(a.present) == records*bands) &&
		(len(a.votes) == 0 || len(a.votes) == records)
}
