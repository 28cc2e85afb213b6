package bloomlsh

// A filter is the array of Bloom filters of a generation, one for each band, or the small one for
// its first records. Methods that take keys take the band keys of one record.
type filter interface {
	// contains adds the bands whose key is present to a set, and returns their number. The first
	// key belongs to band from. to may be nil.
	contains(keys []Key, from int, to bandSet) (present int)
	// containsEach sets votes[i] to 1 if the key of record i is present. It is only for filters of
	// one band.
	containsEach(keys []Key, votes []uint16)
	// lookup adds the bands whose key is present to the set of each record of a batch, except
	// copied ones. A record with all bands present becomes copied, unless the batch is to be
	// renewed.
	lookup(outcomes []outcome, b batch)
	// add inserts all keys and returns how many were present before.
	add(keys []Key) (present int)
	// insert inserts the records of a batch in order, except copied ones, and sets votes and
	// changed in the outcome of each.
	insert(outcomes []outcome, b batch)
	// sample returns the fraction of bits that are set and an estimate of the number of distinct
	// records, from a regular sample of at most limit lines.
	sample(limit int) (fill, records float64)
}

// newFilter returns a filter that uses words, which must have length g.words(). The filter owns
// them from now on.
func newFilter(g geometry, words []uint64) filter {
	if g.filter == FilterClassic {
		return newClassic(g, words)
	}
	return newPaged(g, words)
}

// newPart is like newFilter for the bands from … to-1 of the filters in words. Different goroutines
// may use different bands.
func newPart(g geometry, words []uint64, from, to int) filter {
	part := g
	part.bands = to - from
	return newFilter(part, words[uint64(from)*g.bandWords:uint64(to)*g.bandWords])
}

// lookupEach implements filter.lookup with other methods of f, one record at a time.
func lookupEach(f filter, outcomes []outcome, b batch) {
	for i := range outcomes {
		if o := &outcomes[i]; !o.copied {
			o.copied = f.contains(b.record(i), b.from, b.seen(i)) == b.to-b.from && !b.renew
		}
	}
}

// insertEach implements filter.insert with other methods of f, one record at a time.
func insertEach(f filter, outcomes []outcome, b batch) {
	for i := range outcomes {
		if outcomes[i].copied {
			continue
		}
		keys := b.record(i)
		again := 0 // bands that are present in older generations, too
		if s := b.seenHere(i); s != nil {
			again = presentAgain(f, keys, b, s)
		}
		present := f.add(keys)
		outcomes[i].votes = uint16(present - again)
		outcomes[i].changed = present < len(keys)
	}
}

// presentAgain returns how many keys are present among those whose bands are in the set.
func presentAgain(f filter, keys []Key, b batch, seen bandSet) (again int) {
	here := b.scratch
	clear(here)
	f.contains(keys, b.from, here)
	for i := range here {
		here[i] &= seen[i]
	}
	return here.count()
}
