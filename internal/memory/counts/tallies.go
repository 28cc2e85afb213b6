package counts

import (
	"maps"
	"slices"
)

// Tallies keeps the current sizes of groups with copies, in some 60 bytes each, for programs that
// report groups while they run: Counts.Each would read all records each time. It does not track
// values. It is not safe for concurrent use.
type Tallies struct {
	of     *Counts
	taken  uint64              // number of its records already counted
	groups map[uint32]tally    // by kept record
	grown  map[uint32]struct{} // since they were last reported
}

type tally struct {
	size uint64
	span Span
}

// NewTallies returns the tallies of counts, whose present groups count as reported.
func NewTallies(of *Counts) *Tallies {
	t := &Tallies{of: of, groups: map[uint32]tally{}, grown: map[uint32]struct{}{}}
	t.catchUp()
	clear(t.grown)
	return t
}

// EachGrown calls do with the groups that have grown since they were last reported, ordered by
// their kept records. After that they count as reported.
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

// catchUp counts the new records.
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
	if t.of.selection.Time != "" {
		g.span.add(t.of.times.at(uint64(record - 1)))
	}
}
