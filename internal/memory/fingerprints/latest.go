package fingerprints

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
)

// mostLatest is the number of fingerprints that are collected before they become a run.
const mostLatest = 1 << 17

// latest holds the latest fingerprints in the order in which they were added. In each lane a chain
// links those of a bucket.
type latest struct {
	list
	heads [][]uint32 // for each lane and value the last item that has it, from 1; 0 means none
	nexts [][]uint32 // for each lane and item the previous one in its chain
}

func newLatest(lanes int) latest {
	y := latest{heads: make([][]uint32, lanes), nexts: make([][]uint32, lanes)}
	for i := range y.heads {
		y.heads[i] = make([]uint32, buckets)
	}
	return y
}

// add remembers a fingerprint.
func (y *latest) add(lanes []lane, fingerprint []uint64, number uint32) {
	y.items = append(y.items, fingerprint...)
	y.numbers = append(y.numbers, number)
	for i := range lanes {
		head := &y.heads[i][lanes[i].of(fingerprint)]
		y.nexts[i] = append(y.nexts[i], *head)
		*head = uint32(len(y.numbers))
	}
}

// all implements part.
func (y *latest) all() list { return y.list }

// lookup implements part by the chains.
func (y *latest) lookup(lanes *lanes, fingerprint []uint64, h *hits) (ok bool) {
	words, work := len(fingerprint), newWork(len(y.numbers))
	for n := 0; n <= h.limit; n++ {
		i, flips := lanes.step(n)
		value := lanes.list[i].of(fingerprint)
		for _, flip := range flips {
			if !work.charge(0) {
				return false
			}
			for e := y.heads[i][value^flip]; e > 0; e = y.nexts[i][e-1] {
				if !work.follow() {
					return false
				}
				item := y.items[int(e-1)*words : int(e)*words]
				distance := simhash.Distance(item, fingerprint)
				if distance <= h.limit && lanes.firstStep(item, fingerprint) == n {
					h.add(y.numbers[e-1], distance)
				}
			}
		}
	}
	return true
}

// seal returns a run of the fingerprints, and forgets them.
func (y *latest) seal(lanes []lane, words int) (*run, error) {
	r := &run{count: len(y.numbers), tables: make([]table, len(lanes))}
	var err error
	if r.numbers, err = offheap.AllocateNumbers[uint32](r.count); err != nil {
		return nil, err
	}
	for i := range lanes {
		if err := y.fill(r, i, lanes[i], words); err != nil {
			return nil, errors.Join(err, r.release())
		}
	}
	y.items, y.numbers = y.items[:0], y.numbers[:0]
	for i := range lanes {
		clear(y.heads[i])
		y.nexts[i] = y.nexts[i][:0]
	}
	return r, nil
}

// fill builds table i of a run by counting sort.
func (y *latest) fill(r *run, i int, l lane, words int) (err error) {
	t := &r.tables[i]
	if t.ends, err = offheap.AllocateNumbers[uint32](buckets); err != nil {
		return err
	}
	if t.items, err = offheap.Allocate(uint64(len(y.items))); err != nil {
		return err
	}
	for at := 0; at < len(y.items); at += words {
		t.ends[l.of(y.items[at:])]++
	}
	end := uint32(0)
	for value, n := range t.ends {
		t.ends[value] = end
		end += n
	}
	for e, number := range y.numbers {
		item := y.items[e*words : (e+1)*words]
		end := &t.ends[l.of(item)]
		copy(t.items[int(*end)*words:], item)
		if i == 0 {
			r.numbers[*end] = number
		}
		*end++
	}
	return nil
}

// bytes returns the memory used.
func (y *latest) bytes() uint64 {
	n := 8*cap(y.items) + 4*cap(y.numbers)
	for i := range y.heads {
		n += 4 * (len(y.heads[i]) + cap(y.nexts[i]))
	}
	return uint64(n)
}
