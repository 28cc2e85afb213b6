package memory

import (
	"slices"
	"sort"
)

// A memory that forgets is made of windows, each with a log of its own. Verdicts are found for many
// records at once, and name originals when each is written: so a window begins for names, and those
// of dropped windows go, when the first record of the window is taken.

// A turn is where names go on elsewhere.
type turn struct {
	after  uint64 // this record
	log    Noter  // where they are noted from then on, or nil
	forget uint64 // the records up to this one are not asked about any more
}

// Begin has names begin after a record: those up to it have none.
func (n *Names) Begin(after uint64) { n.base, n.records, n.noted.records = after, after, after }

// Records is how many records there are names of, with those that have gone.
func (n *Names) Records() uint64 { return n.records }

// Turn has the names of the records after one be noted in another log, and those up to one
// forgotten. It comes before the first of them is taken.
func (n *Names) Turn(after uint64, log Noter, forget uint64) {
	if last := len(n.turns) - 1; last >= 0 && log == nil && n.turns[last].log == nil {
		n.turns = n.turns[:last] // where nobody takes names, there are no more of these
	}
	n.turns = append(n.turns, turn{after, log, forget})
}

// takeTurns does what is due before the next record.
func (n *Names) takeTurns() error {
	for len(n.turns) > 0 && n.turns[0].after <= n.records {
		if n.log != nil {
			if err := n.Note(); err != nil {
				return err
			}
		}
		n.log, n.noted.inputs = n.turns[0].log, max(0, len(n.inputs)-1) // another log knows no input
		n.drop(n.turns[0].forget)
		n.turns = n.turns[1:]
	}
	return nil
}

// drop forgets the names of the records up to one. The memory of them is given back.
func (n *Names) drop(last uint64) {
	if last = min(last, n.records); last <= n.base {
		return
	}
	first := sort.Search(len(n.inputs), func(i int) bool { return n.inputs[i].First > last+1 }) - 1
	if first > 0 {
		n.inputs, n.noted.inputs = slices.Clone(n.inputs[first:]), max(0, n.noted.inputs-first)
	}
	if gone := min(last-n.base, uint64(len(n.ends))); gone > 0 {
		cut := n.ends[gone-1]
		n.ids, n.ends = slices.Clone(n.ids[cut:]), slices.Clone(n.ends[gone:])
		for i := range n.ends {
			n.ends[i] -= cut
		}
		n.noted.ids = max(0, n.noted.ids-int(cut))
	}
	n.base = last
}
