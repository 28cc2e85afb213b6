package bloomlsh

import (
	"fmt"
	"slices"
)

// query counts votes without inserting anything.
func (j *keyJudge) query(keys []Key, votes []uint16) error {
	if j.params.Bands == 1 {
		j.queryEach(keys, votes)
		return j.failed()
	}
	sets, err := j.setsOf(keys)
	if err != nil {
		return err
	}
	for i := range votes {
		votes[i] = uint16(j.find(keys, sets, i).count())
	}
	return nil
}

// queryBands sets present for each band of each record whose key was inserted. It leaves other
// elements unchanged.
func (j *keyJudge) queryBands(keys []Key, present []bool) error {
	bands := j.params.Bands
	if len(keys) != len(present) || len(keys)%bands != 0 {
		return fmt.Errorf("%d band keys and room for %d answers are given to an index of %d bands", len(keys),
			len(present), bands)
	}
	if bands == 1 {
		j.votes = slices.Grow(j.votes[:0], len(keys))[:len(keys)]
		j.queryEach(keys, j.votes)
		for i, votes := range j.votes {
			present[i] = present[i] || votes > 0
		}
		return j.failed()
	}
	sets, err := j.setsOf(keys)
	if err != nil {
		return err
	}
	for i := range len(keys) / bands {
		for found, band := j.find(keys, sets, i), 0; band < bands; band++ {
			if found.has(band) {
				present[i*bands+band] = true
			}
		}
	}
	return nil
}

// setsOf returns the bands of each record that generations on disk contain, or nil if no generation
// is on disk.
func (j *keyJudge) setsOf(keys []Key) ([]uint64, error) {
	if !j.hasStored() {
		return nil, nil
	}
	n := len(keys) / j.params.Bands
	sets := make([]uint64, n*setWords(j.params.Bands))
	err := j.onDisk.addSets(keys, sets, func(int) {})
	j.onDisk.pass(n)
	return sets, err
}

// find returns the bands of record i whose key was inserted. The set is valid until the next call.
func (j *keyJudge) find(keys []Key, sets []uint64, i int) bandSet {
	clear(j.seen)
	if sets != nil {
		copy(j.seen, sets[i*len(j.seen):])
	}
	own := keys[i*j.params.Bands : (i+1)*j.params.Bands]
	for i := len(j.generations) - 1; i >= 0; i-- {
		if g := j.generations[i]; g.stored == nil && g.filter.contains(own, 0, j.seen) == len(own) {
			break
		}
	}
	return j.seen
}

// queryEach is query for an index of one band. A record with a single key would have to wait for
// its lines, so the lines of several records are prefetched together.
func (j *keyJudge) queryEach(keys []Key, votes []uint16) {
	clear(votes)
	for i := len(j.generations) - 1; i >= 0; i-- {
		j.generations[i].filter.containsEach(keys, votes)
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
