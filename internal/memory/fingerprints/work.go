package fingerprints

import "math/bits"

// work is a budget for looking up tables before falling back to comparing all fingerprints one
// after the other. It is half the cost of the latter, so no search takes more than one and a half
// times as long, whatever the fingerprints are. Very many fingerprints may share a lane, as those
// of records from one template do, and the number of buckets grows with the number of bits that may
// differ.
type work struct{ left int }

// The costs of a table, in sequential comparisons of fingerprints: each bucket, and each link of a
// chain, is somewhere else in memory.
const (
	bucketWork = 4
	linkWork   = 4
)

func newWork(fingerprints int) work { return work{fingerprints / 2} }

// charge charges for a bucket with that many fingerprints. It returns false if the budget is
// exhausted.
func (w *work) charge(fingerprints int) bool {
	w.left -= bucketWork + fingerprints
	return w.left >= 0
}

// follow charges for a link of a chain. It returns false if the budget is exhausted.
func (w *work) follow() bool {
	w.left -= linkWork
	return w.left >= 0
}

// hits collects what a search finds.
type hits struct {
	list    []hit
	limit   int  // maximum distance of what is found next
	nearest bool // only the nearest is wanted, so the limit falls to the distance of each hit
}

// add adds a hit.
func (h *hits) add(record uint32, distance int) {
	h.list = append(h.list, hit{Record: uint64(record), Distance: distance})
	if h.nearest {
		h.limit = distance
	}
}

// limitAfter returns the limit for records after that of a hit at this distance.
func (h *hits) limitAfter(distance int) int {
	if h.nearest {
		return distance - 1
	}
	return h.limit
}

// A list is a slice of concatenated fingerprints with the numbers of their records.
type list struct {
	items   []uint64
	numbers []uint32
}

// compare finds what lookup finds, by comparing all fingerprints.
func (l list) compare(fingerprint []uint64, h *hits) {
	eachWithin(l.items, fingerprint, h.limit, func(at, distance int) (next int) {
		h.add(l.numbers[at], distance)
		return h.limit
	})
}

// eachWithin calls found with the index of each item that differs in at most limit bits. found
// returns the limit from then on.
func eachWithin(items, fingerprint []uint64, limit int, found func(at, distance int) (next int)) {
	if len(fingerprint) == 1 {
		f := fingerprint[0]
		for i, item := range items {
			if d := bits.OnesCount64(item ^ f); d <= limit {
				limit = found(i, d)
			}
		}
		return
	}
	low, high := fingerprint[0], fingerprint[1]
	for i := 0; i+1 < len(items); i += 2 {
		if d := bits.OnesCount64(items[i]^low) + bits.OnesCount64(items[i+1]^high); d <= limit {
			limit = found(i/2, d)
		}
	}
}
