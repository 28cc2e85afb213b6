package memory

import (
	"slices"
	"sort"
)

// A memory that forgets consists of windows, each with its own log. Verdicts are found for many
// records at a time, but an original is named only when its duplicate is written. So Names switches
// to the next window, and drops the names of expired ones, when it takes the first record of that
// window.

// A turn is a switch of Names to another log.
type turn struct {
	after  uint64 // the last record before the switch
	log    Noter  // where later names are noted; may be nil
	forget uint64 // names up to this record are no longer needed
}

// Begin makes names start after a record. Records up to that one have no names.
func (n *Names) Begin(after uint64) { n.base, n.records, n.noted.records = after, after, after }

// Records returns the number of records named so far, including those whose names are forgotten.
func (n *Names) Records() uint64 { return n.records }

// Turn makes the names of the records after one go to another log, and forgets those up to forget.
// Call it before the first of these records is taken.
func (n *Names) Turn(after uint64, log Noter, forget uint64) {
	if last := len(n.turns) - 1; last >= 0 && log == nil && n.turns[last].log == nil {
		n.turns = n.turns[:last] // without a log, only the latest turn matters
	}
	n.turns = append(n.turns, turn{after, log, forget})
}

// switchNames makes the switches that are due before the next record.
func (n *Names) switchNames() error {
	for len(n.turns) > 0 && n.turns[0].after <= n.records {
		if n.log != nil {
			if err := n.Note(); err != nil {
				return err
			}
		}
		// the new log knows no input yet
		n.log, n.noted.inputs = n.turns[0].log, max(0, len(n.inputs)-1)
		n.drop(n.turns[0].forget)
		n.turns = n.turns[1:]
	}
	return nil
}

// drop forgets the names of the records up to last, and frees their memory.
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
