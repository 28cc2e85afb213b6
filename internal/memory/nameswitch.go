package memory

import (
	"slices"
	"sort"
)

// A memory that forgets consists of windows, each with its own log. Verdicts are found for many
// records at a time, but an original is named only when its duplicate is written. So Names switches
// to the next window, and drops the names of expired ones, when it takes the first record of that
// window.

// A logSwitch is a switch of Names to another log.
type logSwitch struct {
	after  uint64 // the last record before the switch
	from   uint64 // the first record whose name belongs into the log, at most after + 1
	log    Noter  // where later names are noted; may be nil
	forget uint64 // names up to this record are no longer needed
}

// Begin makes names start after a record. Records up to that one have no names.
func (n *Names) Begin(after uint64) { n.base, n.records, n.noted.records = after, after, after }

// Records returns the number of records named so far, including those whose names are forgotten.
func (n *Names) Records() uint64 { return n.records }

// Rewind drops the names of the records after one, if there are any.
func (n *Names) Rewind(last uint64) {
	if last >= n.records {
		return
	}
	for len(n.inputs) > 0 && n.inputs[len(n.inputs)-1].First > last {
		n.inputs = n.inputs[:len(n.inputs)-1]
	}
	if left := last - n.base; left < uint64(len(n.ends)) {
		n.ends = n.ends[:left]
		n.ids = n.ids[:n.idsUpTo(last)]
	}
	n.records = last
	n.noted = noted{len(n.inputs), len(n.ids), n.records}
}

// idsUpTo returns the length of the ids of the records up to one.
func (n *Names) idsUpTo(last uint64) int {
	switch left := last - n.base; {
	case left == 0:
		return 0
	case left > uint64(len(n.ends)):
		return len(n.ids)
	default:
		return int(n.ends[left-1])
	}
}

// Turn makes the names of the records after record after go to another log, with the names of
// earlier ones from record from on, and forgets names up to record forget. Call it before the next
// record is taken.
func (n *Names) Turn(after, from uint64, log Noter, forget uint64) {
	if last := len(n.switches) - 1; last >= 0 && log == nil && n.switches[last].log == nil {
		n.switches = n.switches[:last] // without a log, only the latest switch matters
	}
	n.switches = append(n.switches, logSwitch{after, from, log, forget})
}

// Switch makes the switches that are due before the next record.
func (n *Names) Switch() error {
	for len(n.switches) > 0 && n.switches[0].after <= n.records {
		if n.log != nil {
			if err := n.Note(); err != nil {
				return err
			}
		}
		n.log, n.noted = n.switches[0].log, n.notedBefore(n.switches[0].from)
		n.drop(n.switches[0].forget)
		n.switches = n.switches[1:]
	}
	return nil
}

// notedBefore describes a log that does not have any names yet, but will have those of the records
// from one on. It knows no input yet.
func (n *Names) notedBefore(from uint64) noted {
	input := sort.Search(len(n.inputs), func(i int) bool { return n.inputs[i].First > from }) - 1
	return noted{max(0, input), n.idsUpTo(from - 1), from - 1}
}

// Release frees the names of all records so far, which are unknown from then on, but still counted.
func (n *Names) Release() { n.drop(n.records) }

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
