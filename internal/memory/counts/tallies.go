package counts

import (
	"maps"
	"slices"
)

// Tallies know at any time how large the groups are that have copies, in some 60 bytes for each of
// them: Each goes through all records for that. They are for a program that tells of groups while
// it goes on, and say nothing of values and ranks. They are not safe for concurrent use.
type Tallies struct {
	of     *Counts
	taken  uint64              // of its records
	groups map[uint32]tally    // by their kept records
	grown  map[uint32]struct{} // since they were last told of
}

type tally struct {
	size uint64
	span Span
}

// NewTallies returns the tallies of counts, whose groups count as told of.
func NewTallies(of *Counts) *Tallies {
	t := &Tallies{of: of, groups: map[uint32]tally{}, grown: map[uint32]struct{}{}}
	t.catchUp()
	clear(t.grown)
	return t
}

// EachGrown hands over the groups that have grown since they were last told of, in the order of
// their kept records. They count as told of then.
func (t *Tallies) EachGrown(do func(Group) error) error {
	t.catchUp()
	for _, root := range slices.Sorted(maps.Keys(t.grown)) {
		g := t.groups[root]
		if err := do(Group{Record: uint64(root), Size: g.size, Span: g.span}); err != nil {
			return err
		}
	}
	clear(t.grown)
	return nil
}

// catchUp takes in the records that are new.
func (t *Tallies) catchUp() {
	for ; t.taken < t.of.Records(); t.taken++ {
		record, root := uint32(t.taken+1), t.of.roots.at(t.taken)
		if record == root || t.isDeleted(record) || t.isDeleted(root) {
			continue
		}
		g, isKnown := t.groups[root]
		if !isKnown {
			t.add(&g, root)
		}
		t.add(&g, record)
		t.groups[root] = g
		t.grown[root] = struct{}{}
	}
}

func (t *Tallies) isDeleted(record uint32) bool {
	_, isDeleted := t.of.deleted[record]
	return isDeleted
}

// add counts a record in its group.
func (t *Tallies) add(g *tally, record uint32) {
	g.size++
	if t.of.what.Time != "" {
		g.span.add(t.of.times.at(uint64(record - 1)))
	}
}
