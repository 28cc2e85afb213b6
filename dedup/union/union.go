// Package union groups records by union-find, one pair at a time. The pairs may come from anywhere,
// such as the matches of a memory or the pairs of internal/quality/pairs.
//
// Each record has an entry, which identical records may share. Entries are numbered from 0 in the
// order in which they are added. When two entries are joined the smaller root becomes the root of
// both, so the earliest record identifies a group, and the order of the pairs does not matter.
package union

import (
	"iter"
	"math"
	"slices"
)

// None is the entry of a record that is in no group.
const None = math.MaxUint32

// Groups are groups of up to 4,294,967,294 records. The zero value is empty. It is not safe for
// concurrent use.
type Groups struct {
	parents []uint32 // of the entries
	entries []uint32 // of the records
}

// Entries is how many entries there are.
func (g *Groups) Entries() int { return len(g.parents) }

// Records is how many records there are.
func (g *Groups) Records() int { return len(g.entries) }

// Bytes is what all of it takes.
func (g *Groups) Bytes() uint64 { return 4 * uint64(len(g.parents)+len(g.entries)) }

// Grow reserves space for that many more records.
func (g *Groups) Grow(records int) {
	g.parents, g.entries = slices.Grow(g.parents, records), slices.Grow(g.entries, records)
}

// Add adds a record that is an entry of its own, alone in its group.
func (g *Groups) Add() (entry uint32) {
	entry = uint32(len(g.parents))
	g.parents, g.entries = append(g.parents, entry), append(g.entries, entry)
	return entry
}

// AddTo adds a record that is an entry which there is already.
func (g *Groups) AddTo(entry uint32) { g.entries = append(g.entries, entry) }

// Pass adds a record that is in no group.
func (g *Groups) Pass() { g.entries = append(g.entries, None) }

// EntryOf is the entry of a record, which is numbered from 1.
func (g *Groups) EntryOf(record uint64) uint32 { return g.entries[record-1] }

// Root is the earliest entry of the group. On its way it halves the path for the next one.
func (g *Groups) Root(entry uint32) uint32 {
	for g.parents[entry] != entry {
		g.parents[entry] = g.parents[g.parents[entry]]
		entry = g.parents[entry]
	}
	return entry
}

// Join makes one group of the groups of two entries.
func (g *Groups) Join(a, b uint32) {
	a, b = g.Root(a), g.Root(b)
	g.parents[max(a, b)] = min(a, b)
}

// All iterates over the groups of at least two records, in the order of their first records.
// Records of a group are numbers from 1, in their order. The slice is good until the next group.
func (g *Groups) All() iter.Seq[[]uint64] {
	return func(yield func(records []uint64) bool) {
		// A counting sort by roots: ends[r] becomes where the records of root r end in members.
		ends := make([]uint32, len(g.parents)+1)
		for _, entry := range g.entries {
			if entry != None {
				ends[g.Root(entry)+1]++
			}
		}
		for i := range g.parents {
			ends[i+1] += ends[i]
		}
		members := make([]uint32, ends[len(g.parents)])
		starts := ends[:len(g.parents)]
		for record, entry := range g.entries {
			if entry != None {
				at := &starts[g.Root(entry)]
				members[*at] = uint32(record)
				*at++
			}
		}
		start := uint32(0)
		var records []uint64
		for _, end := range starts { // each has come to the end of its own records
			if end-start >= 2 {
				records = records[:0]
				for _, record := range members[start:end] {
					records = append(records, uint64(record)+1)
				}
				if !yield(records) {
					return
				}
			}
			start = end
		}
	}
}
