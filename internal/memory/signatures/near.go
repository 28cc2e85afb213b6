package signatures

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Near appends to dst the k records most similar to a sketch, or fewer, in descending order of
// similarity and then in the order of records. It finds only records that share a band, whatever
// Votes and Threshold are. Nothing is remembered.
func (x *Index) Near(dst []memory.Match, words []uint64, k int) ([]memory.Match, error) {
	first := len(dst)
	dst, err := x.appendNear(dst, words, func(candidate, float64) bool { return true })
	sortNear(dst[first:])
	return dst[:min(len(dst), first+max(0, k))], err
}

// AppendDuplicates appends to dst all records that make a sketch a duplicate, in descending order
// of similarity and then in the order of records. Of records with equal signatures only the first
// is listed. Unless CompareAll was called, there are at most as many as the keys of the sketch
// list. Nothing is remembered.
func (x *Index) AppendDuplicates(dst []memory.Match, words []uint64) ([]memory.Match, error) {
	first := len(dst)
	dst, err := x.appendNear(dst, words, func(c candidate, similarity float64) bool {
		if x.params.Sets {
			return x.isPlausible(c) && similarity >= x.params.leastOfSets()
		}
		return x.isSimilar(c)
	})
	if err != nil || x.params.Sets {
		sortNear(dst[first:])
		return dst, err
	}
	// A copy whose keys are too common is found by its signature alone.
	if entry, known := x.copyOf(x.own); known {
		record := x.entries.number(entry)
		if !slices.ContainsFunc(dst[first:], func(m memory.Match) bool { return m.Record == record }) {
			dst = append(dst, memory.Match{Record: record, Similarity: 1, Votes: uint16(x.params.Bands)})
		}
	}
	sortNear(dst[first:])
	return dst, nil
}

// sortNear sorts matches by descending similarity, then by record.
func sortNear(matches []memory.Match) {
	slices.SortFunc(matches, func(a, b memory.Match) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Record, b.Record))
	})
}

// appendNear appends the wanted candidates in order.
func (x *Index) appendNear(
	dst []memory.Match, words []uint64, isWanted func(candidate, float64) bool,
) ([]memory.Match, error) {
	if err := x.Ready(words); err != nil {
		return dst, err
	}
	x.setCurrent(words)
	first := len(dst)
	candidates := x.candidates()
	if x.comparesAll && !x.listsAll() {
		candidates = x.sharing()
	}
	for _, c := range candidates {
		m, similarity := x.match(c), x.params.similarity(c.agree)
		if x.params.Sets {
			var err error
			if similarity, err = x.exactly(c); err != nil {
				return dst[:first], err
			}
			m = x.matchOfSets(c, similarity)
		}
		if isWanted(c, similarity) {
			dst = append(dst, m)
		}
	}
	return dst, nil
}

// CompareAll sets whether Near and AppendDuplicates compare all records if a key has more records
// than its table lists. That takes time in proportion to the number of records.
func (x *Index) CompareAll(all bool) { x.comparesAll = all }

// listsAll reports whether the tables list all records that have a key of the current one.
func (x *Index) listsAll() bool {
	most := x.params.mostOfKey()
	if x.params.Sets {
		most = min(most, crowded)
	}
	for i := range x.tables {
		for part := x.firstPart(i); part <= len(x.parts); part++ {
			if len(x.entriesOf(part, i)) >= most {
				return false
			}
		}
	}
	return true
}

// sharing returns all entries that share bands with the current record, by the bits of slots that
// are kept, in their order. The slice is valid until the next record.
func (x *Index) sharing() []candidate {
	x.similar = x.similar[:0]
	for entry := range uint32(x.entries.count) {
		other := x.entries.signature(entry)
		if votes := votesOf(x.masks, other, x.own); votes > 0 {
			agree := sketch.PackedAgreement(other, x.own, x.slotBits) - x.padding
			x.similar = append(x.similar, candidate{entry: entry, votes: votes, agree: agree, most: 1})
		}
	}
	return x.similar
}
