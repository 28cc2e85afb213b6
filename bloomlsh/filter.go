package bloomlsh

// filter is the array of Bloom filters of one generation, one for each band, or the table of its
// first records. A method that takes keys takes the band keys of one record.
type filter interface {
	// contains adds to a set the bands whose key is present, and returns how many there are. The
	// first key belongs to band number from. to may be nil.
	contains(keys []Key, from int, to bandSet) (present int)
	// containsEach sets the votes to 1 of each record of one band whose key is present. It is for
	// filters of one band only.
	containsEach(keys []Key, votes []uint16)
	// lookup adds to the set of each record of a batch, except copied ones, the bands whose key is
	// present. A record with all bands present becomes copied, unless the batch is to be renewed.
	lookup(outcomes []outcome, b batch)
	// add inserts every key and returns how many were present before.
	add(keys []Key) (present int)
	// insert is add for the records of a batch, one after the other, but those that are copied. It
	// sets votes and changed of the outcome of each.
	insert(outcomes []outcome, b batch)
	// sample returns the share of bits that are set and the number of distinct records that this
	// suggests, from a regular sample of at most limit lines.
	sample(limit int) (fill, records float64)
}

// newFilter lays a filter over words, which must be g.words() long and belong to the filter from
// now on.
func newFilter(g geometry, words []uint64) filter {
	if g.filter == FilterClassic {
		return newClassic(g, words)
	}
	return newPaged(g, words)
}

// newPart is newFilter for the bands from … to-1 of the filters over words. Different goroutines
// may have different bands.
func newPart(g geometry, words []uint64, from, to int) filter {
	part := g
	part.bands = to - from
	return newFilter(part, words[uint64(from)*g.bandWords:uint64(to)*g.bandWords])
}

// lookupEach is filter.look by the other methods of f, a record at a time.
func lookupEach(f filter, outcomes []outcome, b batch) {
	for i := range outcomes {
		if o := &outcomes[i]; !o.copied {
			o.copied = f.contains(b.record(i), b.from, b.seen(i)) == b.to-b.from && !b.renew
		}
	}
}

// insertEach is filter.insert by the other methods of f, a record at a time.
func insertEach(f filter, outcomes []outcome, b batch) {
	for i := range outcomes {
		if outcomes[i].copied {
			continue
		}
		keys := b.record(i)
		again := 0 // bands that older generations have too
		if s := b.seenHere(i); s != nil {
			again = presentAgain(f, keys, b, s)
		}
		present := f.add(keys)
		outcomes[i].votes = uint16(present - again)
		outcomes[i].changed = present < len(keys)
	}
}

// presentAgain returns how many of the keys are present of those whose bands are in the set.
func presentAgain(f filter, keys []Key, b batch, seen bandSet) (again int) {
	here := b.scratch
	clear(here)
	f.contains(keys, b.from, here)
	for i := range here {
		here[i] &= seen[i]
	}
	return here.count()
}
