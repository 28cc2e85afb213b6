package signatures

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Near appends to dst the k records of the index that are the most similar to that of a sketch, or
// fewer, from the most similar on, the earlier of equal ones first. Those with which it shares no
// band are not found. Neither Votes nor Threshold matters, and nothing is remembered.
func (x *Index) Near(dst []memory.Match, words []uint64, k int) ([]memory.Match, error) {
	first := len(dst)
	dst, err := x.appendNear(dst, words, func(candidate, float64) bool { return true })
	sortNear(dst[first:])
	return dst[:min(len(dst), first+max(0, k))], err
}

// Alike appends to dst all records of the index that make that of a sketch a duplicate, from the
// most similar on, the earlier of equal ones first. Records of equal signatures are one, the first
// of them. They are at most as many as a key leads to, for each band. Nothing is remembered.
func (x *Index) Alike(dst []memory.Match, words []uint64) ([]memory.Match, error) {
	first := len(dst)
	dst, err := x.appendNear(dst, words, func(c candidate, similarity float64) bool {
		if x.params.Sets {
			return x.isPlausible(c) && similarity >= x.params.leastOfSets()
		}
		return x.isAlike(c)
	})
	if err != nil || x.params.Sets {
		sortNear(dst[first:])
		return dst, err
	}
	// A copy whose keys too many entries have is found by its signature alone.
	if entry, known := x.copyOf(x.own); known {
		record := x.entries.number(entry)
		if !slices.ContainsFunc(dst[first:], func(m memory.Match) bool { return m.Record == record }) {
			dst = append(dst, memory.Match{Record: record, Similarity: 1, Votes: uint16(x.params.Bands)})
		}
	}
	sortNear(dst[first:])
	return dst, nil
}

// sortNear sorts matches from the most similar on, and then from the earliest on.
func sortNear(matches []memory.Match) {
	slices.SortFunc(matches, func(a, b memory.Match) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Record, b.Record))
	})
}

// appendNear appends those of the candidates that are wanted, in their order.
func (x *Index) appendNear(
	dst []memory.Match, words []uint64, isWanted func(candidate, float64) bool,
) ([]memory.Match, error) {
	if err := x.Ready(words); err != nil {
		return dst, err
	}
	x.enter(words)
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
