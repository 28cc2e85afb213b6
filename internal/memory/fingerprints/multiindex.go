package fingerprints

import "errors"

// A multiIndex finds fingerprints by Hamming distance. For each one it stores its bytes once for
// each lane, and 4 bytes for the record. There are Distance + 1 lanes, at most 4 for 64 bits and 8
// for 128, so 64 bits with a distance of 3 take 36 bytes. While it grows it takes up to half as
// much again.
//
// Runs of fingerprints grow as in a log-structured merge tree (O'Neil et al. 1996): when there are
// many of the latest they become a run, which is merged with earlier runs less than four times as
// long. So each fingerprint is moved a few times, and a search reads few runs.
type multiIndex struct {
	lanes      lanes
	words      int // words of a fingerprint
	mostLatest int
	runs       []*run // the earliest first
	latest     latest
	hits       hits // scratch buffer of within
}

func newMultiIndex(p Params) *multiIndex {
	x := &multiIndex{lanes: p.lanes(), words: p.Words(), mostLatest: mostLatest}
	x.latest = newLatest(len(x.lanes.list))
	return x
}

// A part of a multiIndex is a run, or its latest fingerprints.
type part interface {
	// lookup adds to h the fingerprints near another, each once. It returns false if that is more
	// work than comparing all.
	lookup(lanes *lanes, fingerprint []uint64, h *hits) (ok bool)
	// all returns all fingerprints.
	all() list
}

// part returns part i. Parts with earlier records come first.
func (x *multiIndex) part(i int) part {
	if i < len(x.runs) {
		return x.runs[i]
	}
	return &x.latest
}

// nearest implements finder. Later parts hold later records, so these have to be nearer.
func (x *multiIndex) nearest(fingerprint []uint64, limit int) (best hit) {
	for i := 0; i <= len(x.runs) && limit >= 0; i++ {
		for _, h := range x.within(x.part(i), fingerprint, limit, true) {
			if best.Record == 0 || h.Distance < best.Distance || h.Distance == best.Distance && h.Record < best.Record {
				best = h
			}
		}
		if best.Record > 0 {
			limit = best.Distance - 1
		}
	}
	return best
}

// each implements finder.
func (x *multiIndex) each(fingerprint []uint64, limit int, found func(hit)) {
	for i := range len(x.runs) + 1 {
		for _, h := range x.within(x.part(i), fingerprint, limit, false) {
			found(h)
		}
	}
}

// within returns the fingerprints of a part up to a distance of limit, or only those that may be
// the nearest. The slice is valid until the next call.
func (x *multiIndex) within(p part, fingerprint []uint64, limit int, nearest bool) []hit {
	x.hits = hits{list: x.hits.list[:0], limit: limit, nearest: nearest}
	if !p.lookup(&x.lanes, fingerprint, &x.hits) {
		x.hits.list, x.hits.limit = x.hits.list[:0], limit
		p.all().compare(fingerprint, &x.hits)
	}
	return x.hits.list
}

// add implements finder.
func (x *multiIndex) add(fingerprint []uint64, number uint32) error {
	if len(x.latest.numbers) >= x.mostLatest {
		if err := x.seal(); err != nil {
			return err
		}
	}
	x.latest.add(x.lanes.list, fingerprint, number)
	return nil
}

// seal turns the latest fingerprints into a run.
func (x *multiIndex) seal() error {
	sealed, err := x.latest.seal(x.lanes.list, x.words)
	if err != nil {
		return err
	}
	x.runs = append(x.runs, sealed)
	from, count := len(x.runs)-1, sealed.count
	for from > 0 && x.runs[from-1].count < 4*count {
		from--
		count += x.runs[from].count
	}
	if from == len(x.runs)-1 {
		return nil
	}
	merged, err := newRun(x.lanes.list, x.words, x.runs[from:])
	if err != nil {
		return err
	}
	x.runs = append(x.runs[:from], merged)
	return nil
}

// peakOfLanes is Params.PeakBytes for a multiIndex.
func (p Params) peakOfLanes(fingerprints uint64) uint64 {
	lanes, item := uint64(len(p.lanes().list)), uint64(8*p.Words())
	moved := fingerprints * (item + 4) // of a table that is being merged, beside its sources
	latest := min(fingerprints, mostLatest) * 2 * (item + 4 + 4*lanes)
	return fingerprints*(item*lanes+4) + moved + latest + 6*lanes*4*buckets
}

// bytes implements finder.
func (x *multiIndex) bytes() uint64 {
	n := x.latest.bytes()
	for _, r := range x.runs {
		n += r.bytes()
	}
	return n
}

// release implements finder.
func (x *multiIndex) release() (err error) {
	for _, r := range x.runs {
		err = errors.Join(err, r.release())
	}
	x.runs, x.latest = nil, latest{}
	return err
}
