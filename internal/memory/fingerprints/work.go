package fingerprints

import "math/bits"

// A work is what may still be done in tables, before all fingerprints are compared, one after the
// other. It is half of what that takes: so no search takes more than one and a half times as much,
// whatever the fingerprints are. Very many may share a lane, as the fingerprints of records from
// one template do; and the more bits may differ, the more buckets there are.
type work struct{ left int }

// What a table takes, in comparisons of fingerprints that stand one after the other: each bucket is
// elsewhere in memory, and so is each link of a chain.
const (
	bucketWork = 4
	linkWork   = 4
)

func newWork(fingerprints int) work { return work{fingerprints / 2} }

// lookUp takes the work of a bucket that has so many fingerprints. It returns false if there is not
// enough left.
func (w *work) lookUp(fingerprints int) bool {
	w.left -= bucketWork + fingerprints
	return w.left >= 0
}

// follow takes the work of a link.
func (w *work) follow() bool {
	w.left -= linkWork
	return w.left >= 0
}

// orNearer is the other match, if none but best was found before it, or a farther one, or one that
// is as near and later.
func (m hit) orNearer(best, other hit) hit {
	if m == best || other.Distance < m.Distance || other.Distance == m.Distance && other.Record < m.Record {
		return other
	}
	return m
}

// A list is fingerprints, one after the other, with the numbers of their records.
type list struct {
	items   []uint64
	numbers []uint32
}

// scan is search, by comparing with all.
func (l list) scan(fingerprint []uint64, best hit, limit int) (found hit) {
	found = best
	eachWithin(l.items, fingerprint, limit, func(at, distance int) (next int) {
		found = found.orNearer(best, hit{Record: uint64(l.numbers[at]), Distance: distance})
		return distance
	})
	return found
}

// each hands over what lookUp has found, or if that was too much work, by comparing with all, what
// differs from a fingerprint in at most limit bits.
func (l list) each(fingerprint []uint64, limit int, looked []hit, ok bool, found func(hit)) {
	for _, m := range looked {
		found(m)
	}
	if ok {
		return
	}
	eachWithin(l.items, fingerprint, limit, func(at, distance int) (next int) {
		found(hit{Record: uint64(l.numbers[at]), Distance: distance})
		return limit
	})
}

// eachWithin hands over which of the items differ from a fingerprint in at most limit bits. found
// returns the next limit.
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
