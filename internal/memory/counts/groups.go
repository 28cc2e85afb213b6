package counts

import (
	"math/bits"
	"slices"
)

// A Group is a record that was kept, with those that were removed for it.
type Group struct {
	Record   uint64    // the number of the kept one
	Size     uint64    // records, the kept one too
	Span               // of those whose time is known
	By       [][]Count // for each field of What.By, in the order of the values
	Best     uint64    // the number of the record that is preferred, of equal ones the earliest; 0 if none is
	Rank     []byte    // of the kept record, for AppendRankValue
	BestRank []byte    // of the preferred one
}

// A Span is when the first and the last of some records were made.
type Span struct {
	First, Last int64 // in seconds from 1970
	IsTimed     bool  // the time of one is known
}

// add takes in the time of one more record.
func (s *Span) add(second int64) {
	switch {
	case second == unknownTime:
	case !s.IsTimed:
		*s = Span{second, second, true}
	default:
		s.First, s.Last = min(s.First, second), max(s.Last, second)
	}
}

// Each hands over the groups of which a copy came in this run, in the order of their kept records,
// as they were at a moment. It takes 8 bytes for each such group meanwhile, and 4 for each of their
// records if more is counted than these.
func (c *Counts) Each(at Moment, do func(Group) error) error {
	at.Records = min(at.Records, c.Records())
	slots := newSlots(c.marked)
	ends := make([]uint32, slots.count+1) // at first: how many records the slot before has
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
				continue // its copies came after
			}
			if err := do(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// members are the records of all slots, one slot after the other: a counting sort. They are nil if
// nothing is asked of them. Slot i ends at ends[i+1].
func (c *Counts) members(at Moment, slots slots, ends []uint32) []uint32 {
	if c.what.Is(What{}) {
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

// describe counts what the records of a group have.
func (c *Counts) describe(g *Group, members []uint32) {
	for _, i := range members {
		if c.what.Time == "" {
			break
		}
		g.Span.add(c.times.at(uint64(i)))
	}
	for field := range c.values {
		g.By = append(g.By, c.values[field].Of(members))
	}
	if c.what.Prefer != "" {
		c.prefer(g, members)
	}
}

// prefer says which record of a group is the best one: no other one is preferred to it, and it is
// preferred to all before it.
func (c *Counts) prefer(g *Group, members []uint32) {
	var rank []byte // scratch
	for i, member := range members {
		if rank = rank[:0]; c.what.ranked() {
			rank = c.ranks.appendOf(rank, uint64(member))
		}
		if i == 0 {
			g.Best, g.Rank, g.BestRank = uint64(member)+1, slices.Clone(rank), slices.Clone(rank)
		} else if c.what.prefers(rank, g.BestRank) {
			g.Best, g.BestRank = uint64(member)+1, append(g.BestRank[:0], rank...)
		}
	}
}

// slots number the members of a set in their order.
type slots struct {
	set    []uint64
	before []uint32 // how many the words of the set before each word have
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

// of is the number of a member.
func (s slots) of(member uint32) uint32 {
	below := s.set[member/64] & (1<<(member%64) - 1)
	return s.before[member/64] + uint32(bits.OnesCount64(below))
}
