package bloomlsh

import "slices"

// A keyJudge counts the bands whose key was seen, in whatever records. It uses Bloom filters.
type keyJudge struct {
	*history
	*counts
	onDisk  *diskAnswers
	settled bool // the same large filters answered for all records of the last call

	// for the current batch
	outcomes  []outcome
	olderSets []uint64 // bands of each record that older generations contain
	spreads   []keySpread

	seen  bandSet  // scratch for one record
	votes []uint16 // scratch of queryBands
}

func (j *keyJudge) observe(r records, votes []uint16, changed func(keys []Key) error) (observed int, err error) {
	large := j.large()
	defer func() { j.settled = large > 0 && j.large() == large }()
	bands, keys := j.params.Bands, r.keys
	together := r.beside == nil && j.hasRoom(uint64(len(votes)))
	if together {
		if err := j.insertBatch(keys, votes); err != nil {
			return 0, err
		}
	}
	for i := range votes {
		own := keys[i*bands : (i+1)*bands]
		var isNew bool
		if together {
			isNew = j.outcomes[i].changed
			j.countInserted(isNew, int(votes[i]))
		} else {
			if votes[i], isNew, err = j.observeOne(own, r.beside.part(i, i+1)); err != nil {
				return i, err
			}
		}
		if isNew && changed != nil {
			if err := changed(own); err != nil {
				return i, err
			}
		}
	}
	return len(votes), nil
}

// observeOne observes a record, and reports whether its keys changed the index: the log on disk
// consists of the keys of such records. beside is what other indexes say about the record. If there
// is an error, the record does not count as observed, and nothing was inserted.
func (j *keyJudge) observeOne(keys []Key, beside *Answers) (votes uint16, changed bool, err error) {
	seen := j.seen
	clear(seen)
	stored := false
	if err := j.onDisk.addSets(keys, seen, func(int) { stored = true }); err != nil {
		return 0, false, err
	}
	j.onDisk.pass(1)
	// what is only in an older generation is inserted again if that will be forgotten
	copied := (inOlder(j.older(), keys, seen) || stored) && !j.params.forgets()
	current := j.current()
	inCurrent := current.filter.contains(keys, 0, seen)
	for band, present := range beside.bandsOf(0) {
		if present {
			seen.put(band)
		}
	}
	votes = max(uint16(seen.count()), beside.groupVotes(0))
	needless := copied || inCurrent == len(keys) || // copies take no space
		j.params.Remember == RememberUnseen && int(votes) >= j.params.Votes && !j.enters
	if !needless {
		if current.full() {
			if err := j.grow(); err != nil {
				return 0, false, err
			}
			current = j.current()
		}
		current.ensureCapacity(1)
		current.filter.add(keys)
		current.inserted++
	}
	j.add(int(votes), 1, int(votes) >= j.params.Votes)
	return votes, !needless, nil
}

// hasRoom reports whether that many records can be inserted without opening a generation, even if
// all of their keys are new.
func (j *keyJudge) hasRoom(records uint64) bool {
	return j.params.Remember == RememberAll && j.current().inserted+records <= j.current().capacity
}

// insertBatch inserts records and stores their outcomes. The records must fit into the current
// generation.
func (j *keyJudge) insertBatch(keys []Key, votes []uint16) error {
	b := batch{keys: keys, bands: j.params.Bands, to: j.params.Bands, renew: j.params.forgets()}
	j.outcomes = slices.Grow(j.outcomes[:0], len(votes))[:len(votes)]
	clear(j.outcomes)
	if len(j.generations) > 1 {
		n := len(votes) * setWords(b.bands)
		j.olderSets = slices.Grow(j.olderSets[:0], n)[:n]
		clear(j.olderSets)
		b.older, b.scratch = j.olderSets, j.seen
		if j.params.Filter == FilterPaged {
			j.spreads = slices.Grow(j.spreads[:0], len(keys))[:len(keys)]
			b.spreads, b.mask = j.spreads, maskOf(j.params.PageSeed)
		}
		if err := j.onDisk.addSets(keys, b.older, func(i int) { j.outcomes[i].copied = !b.renew }); err != nil {
			return err
		}
	}
	j.onDisk.pass(len(votes))
	current := j.current()
	current.ensureCapacity(len(j.outcomes))
	if crew := j.helpers(j.generations); crew != nil {
		crew.observe(j.outcomes, b)
	} else {
		b.lookupOlder(j.older(), j.outcomes)
		current.filter.insert(j.outcomes, b)
	}
	for i, o := range j.outcomes {
		votes[i] = o.votes
		if s := b.seen(i); s != nil {
			votes[i] += uint16(s.count())
		}
	}
	return nil
}

// countInserted counts a record inserted by insertBatch.
func (j *keyJudge) countInserted(changed bool, votes int) {
	if changed {
		j.current().inserted++
	}
	j.add(votes, 1, votes >= j.params.Votes)
}

// inOlder adds the bands whose key is in any of the generations in memory to a set, and reports
// whether a single generation contains the keys of all bands.
func inOlder(generations []*generation, keys []Key, to bandSet) (copied bool) {
	for _, g := range generations {
		if g.stored != nil {
			continue
		}
		if g.filter.contains(keys, 0, to) == len(keys) {
			return true
		}
	}
	return false
}

// remembers returns true for a record that was a copy only if the same large filters answered for
// the whole batch.
func (j *keyJudge) remembers(votes uint16) bool {
	if int(votes) == j.params.Bands {
		return j.settled
	}
	return j.params.Remember == RememberAll || int(votes) < j.params.Votes
}
