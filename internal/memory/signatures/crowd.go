package signatures

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/packedset"
)

// In a crowd of records that have much in common, such as pages in one frame, a record has hundreds
// of candidates near the threshold. The parities of their sets distinguish most of them without
// reading the sets again.

const (
	// fewCandidates is the maximum number of candidates whose sets are read without bounds:
	// computing these would take longer.
	fewCandidates = 4

	// crowded is the number of entries of a key from which on near copies are left out of its list.
	crowded = 16

	// mostParities bounds the words kept of the parities of entries, 2 MB. A crowd of texts of 2 KB
	// needs 16 for each entry that its keys list.
	mostParities = 1 << 18

	// mostOrder bounds the parities of a set to 8 KB. Parities of sets with 33,000 hashes or more
	// distinguish less.
	mostOrder = 16
)

// A crowd looks up and adds records of an index that resemble many others.
type crowd struct{ *Index }

// nearFlag marks near copies in the log, in the word that says how many hashes a set has.
const nearFlag = 1 << 63

// isNear reports whether a match makes a record a near copy, which is closer to it than to records
// at the threshold.
func (p Params) isNear(best memory.Match) bool {
	return p.Sets && p.Containment == 0 && best.Record != 0 && float64(best.Similarity) >= (1+p.Threshold)/2
}

// isCrowded reports whether enough entries have the current key of a band for a near copy to be
// left out of its list.
func (x crowd) isCrowded(band int) bool {
	x.had = x.tables[band].Append(x.had[:0], x.keys[band])
	return len(x.had) >= crowded
}

// parities holds the parities of the current set, and of the entries that it was compared with.
type parities struct {
	own   [mostOrder + 1][]uint64 // by their order; empty if they are not needed
	kept  []uint64
	place map[uint32]int // where those of an entry begin in kept
}

// forget drops the parities of the current set, and those of entries if they are too many.
func (p *parities) forget() {
	for i := range p.own {
		p.own[i] = p.own[i][:0]
	}
	if len(p.kept) > mostParities {
		p.kept = p.kept[:0]
		clear(p.place)
	}
}

// ofOwn returns the parities of the current set.
func (p *parities) ofOwn(hashes []uint64, order int) []uint64 {
	if len(p.own[order]) == 0 {
		p.own[order] = packedset.AppendParities(p.own[order], hashes, order)
	}
	return p.own[order]
}

// bound replaces the bounds of candidates with those that follow from parities.
func (x crowd) bound(candidates []candidate) error {
	x.sets.parities.forget()
	form := x.params.SetForm()
	own, err := x.sets.own.unpacked(form)
	if err != nil {
		return err
	}
	for i := range candidates {
		c := &candidates[i]
		size := x.entries.setAt(c.entry).Len()
		order := min(packedset.ParityOrder(size), mostOrder)
		if len(own) == 0 || size == 0 || !form.HasParities(len(own), order) {
			continue
		}
		other, err := x.paritiesOf(c.entry, order)
		if err != nil {
			return err
		}
		common := packedset.MostCommon(len(own), size, x.sets.parities.ofOwn(own, order), other)
		c.most = x.params.ofCommon(len(own), size, common)
	}
	return nil
}

// paritiesOf returns the parities of an entry, which follow its set when that is read for the first
// time.
func (x crowd) paritiesOf(entry uint32, order int) ([]uint64, error) {
	p, words := &x.sets.parities, 1<<order/64
	if at, ok := p.place[entry]; ok {
		return p.kept[at : at+words], nil
	}
	hashes, err := x.hashesOf(entry)
	if err != nil {
		return nil, err
	}
	if p.place == nil {
		p.place = make(map[uint32]int)
	}
	at := len(p.kept)
	p.place[entry], p.kept = at, packedset.AppendParities(p.kept, hashes, order)
	return p.kept[at:], nil
}

// hashesOf returns the leading bits of the hashes in the set of an entry. The slice is valid until
// the next call.
func (x crowd) hashesOf(entry uint32) (hashes []uint64, err error) {
	at, form := x.entries.setAt(entry), x.params.SetForm()
	words, err := x.sets.Of(at, form.LeadingWords(at.Len()))
	if err != nil {
		return nil, err
	}
	x.sets.other, err = unpack(form, x.sets.other[:0], at.Len(), words)
	return x.sets.other, err
}

// takeNext removes candidates whose similarity cannot be least or more, and then the one that may
// be the most similar, which it returns. ok is false if there is none.
func takeNext(candidates []candidate, least float64) (next candidate, rest []candidate, ok bool) {
	rest = slices.DeleteFunc(candidates, func(c candidate) bool { return c.most < least })
	if len(rest) == 0 {
		return candidate{}, nil, false
	}
	first := 0
	for i, c := range rest {
		if c.isBefore(rest[first]) {
			first = i
		}
	}
	next = rest[first]
	last := len(rest) - 1
	rest[first] = rest[last]
	return next, rest[:last], true
}

// isBefore reports whether the set of c is read before that of another candidate.
func (c candidate) isBefore(other candidate) bool {
	switch {
	case c.most != other.most:
		return c.most > other.most
	case c.agree != other.agree:
		return c.agree > other.agree
	}
	return c.entry < other.entry
}
