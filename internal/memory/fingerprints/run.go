package fingerprints

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// A run is an immutable list of fingerprints with a table for each lane. A table groups them into
// buckets with the same value of the lane, in the order in which they were added.
type run struct {
	count   int
	tables  []table
	numbers []uint32 // of records, in the order of the first table
}

type table struct {
	ends  []uint32 // where each bucket ends
	items []uint64 // fingerprints
}

// bucket returns the bounds of a bucket.
func (t *table) bucket(value uint16) (from, to uint32) {
	if value > 0 {
		from = t.ends[value-1]
	}
	return from, t.ends[value]
}

// all implements part.
func (r *run) all() list { return list{r.tables[0].items, r.numbers} }

// lookup implements part by the tables. The records of a bucket are in order.
func (r *run) lookup(lanes *lanes, fingerprint []uint64, h *hits) (ok bool) {
	words, work := len(fingerprint), newWork(r.count)
	for n := 0; n <= h.limit; n++ {
		i, flips := lanes.step(n)
		t, value := &r.tables[i], lanes.list[i].of(fingerprint)
		for _, flip := range flips {
			from, to := t.bucket(value ^ flip)
			if !work.charge(int(to - from)) {
				return false
			}
			items := t.items[int(from)*words : int(to)*words]
			eachWithin(items, fingerprint, h.limit, func(at, distance int) (next int) {
				item := items[at*words : (at+1)*words]
				if lanes.firstStep(item, fingerprint) != n {
					return h.limit
				}
				h.add(r.number(i, int(from)+at, lanes.list[0], item, &work), distance)
				if work.left < 0 {
					return -1 // none found
				}
				return h.limitAfter(distance)
			})
			if work.left < 0 {
				return false
			}
		}
	}
	return true
}

// number returns the record of the item at index at of table i.
func (r *run) number(i, at int, first lane, item []uint64, work *work) uint32 {
	if i > 0 {
		from, to := r.tables[0].bucket(first.of(item))
		work.charge(int(to - from))
		words := len(item)
		eachWithin(r.tables[0].items[int(from)*words:int(to)*words], item, 0, func(same, _ int) (next int) {
			at = int(from) + same
			return -1 // there is no other
		})
	}
	return r.numbers[at]
}

// newRun merges parts, each later than the one before, into one run. It releases the parts table by
// table, so that the peak is little more than the memory of one run.
func newRun(lanes []lane, words int, parts []*run) (*run, error) {
	merged := &run{tables: make([]table, len(lanes))}
	for _, p := range parts {
		merged.count += p.count
	}
	numbers, err := offheap.AllocateNumbers[uint32](merged.count)
	if err != nil {
		return nil, err
	}
	merged.numbers = numbers
	for i := range lanes {
		if err := merged.fill(i, words, parts); err != nil {
			return nil, errors.Join(err, merged.release())
		}
	}
	return merged, nil
}

// fill merges table i of the parts and releases it there.
func (r *run) fill(i, words int, parts []*run) (err error) {
	t := &r.tables[i]
	if t.ends, err = offheap.AllocateNumbers[uint32](buckets); err != nil {
		return err
	}
	if t.items, err = offheap.Allocate(uint64(r.count * words)); err != nil {
		return err
	}
	end := uint32(0)
	for value := range buckets {
		for _, p := range parts {
			from, to := p.tables[i].bucket(uint16(value))
			copy(t.items[int(end)*words:], p.tables[i].items[int(from)*words:int(to)*words])
			if i == 0 {
				copy(r.numbers[end:], p.numbers[from:to])
			}
			end += to - from
		}
		t.ends[value] = end
	}
	for _, p := range parts {
		if i == 0 {
			err = errors.Join(err, release32(&p.numbers))
		}
		err = errors.Join(err, p.tables[i].release())
	}
	return err
}

// bytes returns the memory of the run.
func (r *run) bytes() (n uint64) {
	for i := range r.tables {
		n += uint64(4*len(r.tables[i].ends) + 8*len(r.tables[i].items))
	}
	return n + uint64(4*len(r.numbers))
}

// release frees the memory. It may be called again.
func (r *run) release() error {
	err := release32(&r.numbers)
	for i := range r.tables {
		err = errors.Join(err, r.tables[i].release())
	}
	return err
}

func (t *table) release() error {
	err := release32(&t.ends)
	if t.items != nil {
		err = errors.Join(err, offheap.Release(t.items))
		t.items = nil
	}
	return err
}

// release32 frees numbers of package offheap, unless they are freed already.
func release32(numbers *[]uint32) error {
	n := *numbers
	if n == nil {
		return nil
	}
	*numbers = nil
	return offheap.ReleaseNumbers(n)
}
