package bloomlsh

// filter is the array of Bloom filters of one generation, one for each band, or the table of its first records. A method that takes keys takes the
// band keys of one record.
type filter interface {
	// contains reports whether any of the keys is present in its band, and whether all are.
	contains(keys []Key) (any, all bool)
	// add inserts every key and reports whether any was present before, and whether any was not.
	add(keys []Key) (present, new bool)
	// insert is add for the records of a batch, one after the other, but those that are copies. There is an outcome for each, to which it adds.
	insert(outcomes []outcome, b batch)
	// addAbsent inserts every key unless one is present, and reports whether one was.
	addAbsent(keys []Key) bool
	// sample returns the share of bits that are set and the number of distinct records that this suggests, from a regular
	// sample of at most limit lines.
	sample(limit int) (fill, records float64)
}

// newFilter lays a filter over words, which must be g.words() long and belong to the filter from now on.
func newFilter(g geometry, words []uint64) filter {
	if g.filter == FilterClassic {
		return newClassic(g, words)
	}
	return newPaged(g, words)
}

// newPart is newFilter for the bands from … to-1 of the filters over words. Different goroutines may have different bands.
func newPart(g geometry, words []uint64, from, to int) filter {
	part := g
	part.bands = to - from
	return newFilter(part, words[uint64(from)*g.bandWords:uint64(to)*g.bandWords])
}
