package prefixes

// A candidate is an entry that may be similar to the current record.
type candidate struct {
	entry uint32
	most  float64 // upper bound for the similarity
}

// isBefore reports whether a candidate has a larger bound than another, or the same and is earlier.
func (c candidate) isBefore(other candidate) bool {
	return c.most > other.most || c.most == other.most && c.entry < other.entry
}

// byBound is a heap of candidates, the one with the largest bound first. In a crowd, a record has
// thousands of candidates, and only the first few are taken.
type byBound []candidate

// order turns a list in any order into a heap.
func (b byBound) order() {
	for i := len(b)/2 - 1; i >= 0; i-- {
		b.down(i)
	}
}

// take removes and returns the first candidate.
func (b *byBound) take() (first candidate) {
	list, last := *b, len(*b)-1
	first, list[0] = list[0], list[last]
	*b = list[:last]
	b.down(0)
	return first
}

// down moves candidate i down to its place in the heap.
func (b byBound) down(i int) {
	for {
		next := 2*i + 1
		if next >= len(b) {
			return
		}
		if right := next + 1; right < len(b) && b[right].isBefore(b[next]) {
			next = right
		}
		if !b[next].isBefore(b[i]) {
			return
		}
		b[i], b[next] = b[next], b[i]
		i = next
	}
}
