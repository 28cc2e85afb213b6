package prefixes

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Near appends to dst the k records most similar to a sketch, or fewer, in descending order of
// similarity and then in the order of records. It finds all records at or above the threshold; of
// the others, it finds those that share a key with the sketch. It remembers nothing.
func (x *Index) Near(dst []memory.Match, words []uint64, k int) ([]memory.Match, error) {
	first := len(dst)
	dst, err := x.appendNear(dst, words, 0)
	return dst[:min(len(dst), first+max(0, k))], err
}

// AppendDuplicates appends to dst all records that make a sketch a duplicate, in descending order
// of similarity and then in the order of records. Of records with equal sets only the first is
// listed. Nothing is remembered.
func (x *Index) AppendDuplicates(dst []memory.Match, words []uint64) ([]memory.Match, error) {
	return x.appendNear(dst, words, x.params.Threshold)
}

// appendNear appends all records found whose similarity is least or more, in order.
func (x *Index) appendNear(dst []memory.Match, words []uint64, least float64) ([]memory.Match, error) {
	if err := x.Ready(words); err != nil {
		return dst, err
	}
	if err := x.own.set(words); err != nil {
		return dst, err
	}
	x.putKeys()
	candidates, first := x.candidates(least), len(dst)
	if x.comparesAll && x.isCut {
		candidates = x.all(least)
	}
	for _, c := range candidates {
		similarity, err := x.similarity(c.entry)
		if err != nil {
			return dst[:first], err
		}
		if similarity > 0 && similarity >= least {
			dst = append(dst, memory.Match{Record: x.entries.number(c.entry), Similarity: float32(similarity)})
		}
	}
	slices.SortFunc(dst[first:], func(a, b memory.Match) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Record, b.Record))
	})
	return dst, nil
}

// CompareAll sets whether Near and AppendDuplicates examine all entries if the lists for a sketch
// are incomplete. That takes time in proportion to the number of entries.
func (x *Index) CompareAll(all bool) { x.comparesAll = all }

// all returns all entries whose similarity may be least or more.
func (x *Index) all(least float64) []candidate {
	x.similar = x.similar[:0]
	for entry := range uint32(x.entries.count) {
		if most := x.mostOf(x.entries.row(entry)); most > 0 && most >= least {
			x.similar = append(x.similar, candidate{entry: entry, most: most})
		}
	}
	return x.similar
}
