package lsh

import (
	"errors"
	"iter"
	"math"
)

// Groups finds all pairs of records that resemble each other, by an Index, and joins them: records
// are in one group if a chain of such pairs leads from one to the other. It is not safe for
// concurrent use.
type Groups struct {
	index   *Index
	parents []uint32 // of the entries: the smaller of two that were joined is the root
	entries []uint32 // of the records, none for one without a sketch
}

// none is the entry of a record that has no sketch.
const none = math.MaxUint32

var errUnseenOnly = errors.New("groups need all records: leave UnseenOnly out")

// NewGroups returns groups of no record.
func NewGroups(p Params) (*Groups, error) {
	if p.UnseenOnly {
		return nil, errUnseenOnly
	}
	x, err := New(p)
	if err != nil {
		return nil, err
	}
	return &Groups{index: x}, nil
}

// Add adds a record by its sketch, as sketch.Signed makes it.
func (g *Groups) Add(words []uint64) error {
	x := g.index
	if len(words) != x.params.SketchWords() {
		return errSize
	}
	signature := x.enter(words)
	x.records++
	entry, known := x.copyOf(signature)
	if known {
		x.copies++
	} else {
		own := uint32(x.entries.count)
		g.parents = append(g.parents, own)
		for _, c := range x.candidates(signature) {
			if x.isAlike(c) {
				g.join(c.entry, own)
			}
		}
		var err error
		if entry, err = x.remember(signature); err != nil {
			return err
		}
	}
	g.entries = append(g.entries, entry)
	return nil
}

// Pass adds a record that has no sketch. It is in no group.
func (g *Groups) Pass() {
	g.index.Pass(1)
	g.entries = append(g.entries, none)
}

// root is the earliest entry of the group. On its way it halves the path for the next one.
func (g *Groups) root(entry uint32) uint32 {
	for g.parents[entry] != entry {
		g.parents[entry] = g.parents[g.parents[entry]]
		entry = g.parents[entry]
	}
	return entry
}

func (g *Groups) join(a, b uint32) {
	a, b = g.root(a), g.root(b)
	g.parents[max(a, b)] = min(a, b)
}

// All iterates over the groups of at least two records, in the order of their first records.
// Records of a group are numbers from 1, in their order. The slice is good until the next group.
func (g *Groups) All() iter.Seq[[]uint64] {
	return func(yield func(records []uint64) bool) {
		// A counting sort by roots: ends[r] becomes where the records of root r end in members.
		ends := make([]uint64, len(g.parents)+1)
		for _, entry := range g.entries {
			if entry != none {
				ends[g.root(entry)+1]++
			}
		}
		for i := range g.parents {
			ends[i+1] += ends[i]
		}
		members := make([]uint64, ends[len(g.parents)])
		starts := ends[:len(g.parents)]
		for record, entry := range g.entries {
			if entry != none {
				at := &starts[g.root(entry)]
				members[*at] = uint64(record + 1)
				*at++
			}
		}
		start := uint64(0)
		for _, end := range starts { // each has come to the end of its own records
			if end-start >= 2 && !yield(members[start:end:end]) {
				return
			}
			start = end
		}
	}
}

// Similarity estimates the Jaccard similarity of two records, numbered from 1. It is 0 if one of
// them has no sketch.
func (g *Groups) Similarity(a, b uint64) float32 {
	x, i, j := g.index, g.entries[a-1], g.entries[b-1]
	if i == none || j == none {
		return 0
	}
	agree := agreement(x.entries.signature(i), x.entries.signature(j)) - x.padding
	return float32(x.params.similarity(agree))
}

// Stats describes the index that the groups use.
func (g *Groups) Stats() Stats { return g.index.Stats() }

// Close gives the memory back. The groups cannot be used after it.
func (g *Groups) Close() error { return g.index.Close() }
