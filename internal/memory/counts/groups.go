package counts

import (
	"math/bits"
	"slices"
)

// A Group is a kept record with the records removed for it.
type Group struct {
	Record uint64    // number of the kept record
	Size   uint64    // number of records, including the kept one
	Span             // of the records with a known time
	By     [][]Count // for each field of Selection.By, in the order of values
}

// A Span is the time from the first to the last of some records.
type Span struct {
	First, Last int64 // in seconds since 1970
	IsTimed     bool  // at least one time is known
}

// add extends the span to a time.
func (s *Span) add(second int64) {
	switch {
	case second == unknownTime:
	case !s.IsTimed:
		*s = Span{second, second, true}
	default:
		s.First, s.Last = min(s.First, second), max(s.Last, second)
	}
}

// Each calls do with the groups that received a copy in this run, ordered by their kept records, as
// they were at a moment. It takes 8 bytes for each such group, and 4 for each of their records if
// more than sizes is counted.
func (c *Counts) Each(at Moment, do func(Group) error) error {
	at.Records = min(at.Records, c.Records())
	slots := newSlots(c.marked)
	ends := make([]uint32, slots.count+1) // at first the number of records in the previous slot
	for i := range at.Records {
		if root, ok := c.counted(i, at.Run); ok {
			ends[slots.of(root)+1]++
		}
	}
	for i := range slots.count {
		ends[i+1] += ends[i]
	}
	members := c.members(at, slots, ends)
	slot := 0
	for word, set := range c.marked {
		for ; set != 0; set &= set - 1 {
			start, end := ends[slot], ends[slot+1]
			g := Group{Record: uint64(word*64 + bits.TrailingZeros64(set)), Size: uint64(end - start)}
			slot++
			if c.deleted.has(uint32(g.Record), at.Run) {
				continue
			}
			if members != nil {
				c.describe(&g, members[start:end])
			}
			if g.Size < 2 {
				continue // its copies came later
			}
			if err := do(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// members returns the records of all slots, slot by slot, by counting sort, or nil if they are not
// needed. Slot i ends at ends[i+1].
func (c *Counts) members(at Moment, slots slots, ends []uint32) []uint32 {
	if c.selection.Is(Selection{}) {
		return nil
	}
	next := slices.Clone(ends[:slots.count])
	members := make([]uint32, ends[slots.count])
	for i := range at.Records {
		if root, ok := c.counted(i, at.Run); ok {
			place := &next[slots.of(root)]
			members[*place] = uint32(i)
			*place++
		}
	}
	return members
}

// describe computes what is counted in the records of a group.
func (c *Counts) describe(g *Group, members []uint32) {
	for _, i := range members {
		if c.selection.Time == "" {
			break
		}
		g.Span.add(c.times.at(uint64(i)))
	}
	for field := range c.values {
		g.By = append(g.By, c.values[field].Of(members))
	}
}

// slots number the members of a set in ascending order.
type slots struct {
	set    []uint64
	before []uint32 // number of members in the words before each word
	count  int
}

func newSlots(set []uint64) slots {
	s := slots{set: set, before: make([]uint32, len(set))}
	for i, word := range set {
		s.before[i] = uint32(s.count)
		s.count += bits.OnesCount64(word)
	}
	return s
}

// of returns the number of a member.
func (s slots) of(member uint32) uint32 {
	below := s.set[member/64] & (1<<(member%64) - 1)
	return s.before[member/64] + uint32(bits.OnesCount64(below))
}
