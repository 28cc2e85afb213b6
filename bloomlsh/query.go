package bloomlsh

import (
	"fmt"
	"slices"
)

// Query sets votes[i] to the number of bands of record i whose key was inserted; keys holds those
// of len(votes) records. It changes nothing.
func (x *Index) Query(keys []Key, votes []uint16) error {
	if err := x.checkKeys(len(keys), len(votes)); err != nil {
		return err
	}
	if x.groups != nil {
		return x.queryGroups(keys, votes)
	}
	if x.params.Bands == 1 {
		x.queryEach(keys, votes)
		return x.failed()
	}
	sets, err := x.setsOf(keys)
	if err != nil {
		return err
	}
	for i := range votes {
		votes[i] = uint16(x.find(keys, sets, i).count())
	}
	return nil
}

// queryBands sets present for each band of each record whose key was inserted, and leaves the
// others as they are.
func (x *Index) queryBands(keys []Key, present []bool) error {
	bands := x.params.Bands
	if len(keys) != len(present) || len(keys)%bands != 0 {
		return fmt.Errorf("%d band keys and room for %d answers are given to an index of %d bands", len(keys),
			len(present), bands)
	}
	if bands == 1 {
		x.votes = slices.Grow(x.votes[:0], len(keys))[:len(keys)]
		x.queryEach(keys, x.votes)
		for i, votes := range x.votes {
			present[i] = present[i] || votes > 0
		}
		return x.failed()
	}
	sets, err := x.setsOf(keys)
	if err != nil {
		return err
	}
	for i := range len(keys) / bands {
		for found, band := x.find(keys, sets, i), 0; band < bands; band++ {
			if found.has(band) {
				present[i*bands+band] = true
			}
		}
	}
	return nil
}

// setsOf returns what generations on disk have of each record, or nil if there are none.
func (x *Index) setsOf(keys []Key) ([]uint64, error) {
	if !x.hasStored() {
		return nil, nil
	}
	n := len(keys) / x.params.Bands
	sets := make([]uint64, n*setWords(x.params.Bands))
	err := x.lookAll(keys, sets, func(int) {})
	x.pass(n)
	return sets, err
}

// find returns the bands of record i whose key was inserted. It is good until the next call.
func (x *Index) find(keys []Key, sets []uint64, i int) bandSet {
	clear(x.seen)
	if sets != nil {
		copy(x.seen, sets[i*len(x.seen):])
	}
	own := keys[i*x.params.Bands : (i+1)*x.params.Bands]
	for i := len(x.generations) - 1; i >= 0; i-- {
		if g := x.generations[i]; g.stored == nil && g.filter.contains(own, 0, x.seen) == len(own) {
			break
		}
	}
	return x.seen
}

// queryEach is Index.Query for an index of one band. A record of one key would wait for its lines
// alone, so that those of several records are fetched together.
func (x *Index) queryEach(keys []Key, votes []uint16) {
	clear(votes)
	for i := len(x.generations) - 1; i >= 0; i-- {
		x.generations[i].filter.containsEach(keys, votes)
	}
}

func (f *paged) containsEach(keys []Key, votes []uint16) {
	for len(keys) > 0 {
		n := min(1+f.ahead, len(keys))
		f.fetch(f.addressEach(0, keys[:n]), 1)
		for i := range n {
			if votes[i] == 0 && f.hasBand(f.linesOf(i)) {
				votes[i] = 1
			}
		}
		keys, votes = keys[n:], votes[n:]
	}
}

func (f *classic) containsEach(keys []Key, votes []uint16) {
	for i, key := range keys {
		if votes[i] == 0 && f.filters[0].Test(f.encode(key)) {
			votes[i] = 1
		}
	}
}

func (f *firstRecords) containsEach(keys []Key, votes []uint16) { f.small.containsEach(keys, votes) }
