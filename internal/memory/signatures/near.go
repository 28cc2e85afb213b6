package signatures

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
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
// is listed. There are at most as many as the keys of the sketch list. Nothing is remembered.
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
	for _, c := range x.candidates() {
		m, similarity := x.match(c), x.params.similarity(c.agree)
		if x.params.Sets {
			var err error
			if similarity, err = x.ofSets(c); err != nil {
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
