package pairs

import "math"

// A threshold is the least Jaccard similarity of a pair. What follows from it is worked out with
// the division that decides about a pair, so that rounding never loses one.
type threshold float64

// isMet reports whether two sets with so many elements together, counted twice where they are
// common, are similar enough.
func (t threshold) isMet(common, together int) bool {
	return similarity(common, together) >= float64(t)
}

// similarity is the Jaccard similarity of two sets with together elements, counted twice where
// they are common.
func similarity(common, together int) float64 {
	return float64(common) / float64(together-common)
}

// needed is how many common elements two sets must have at least; more than half of together if no
// number is enough.
func (t threshold) needed(together int) int {
	c := int(math.Ceil(float64(t) / (1 + float64(t)) * float64(together)))
	c = max(1, min(c, together/2+1))
	for c > 1 && t.isMet(c-1, together) {
		c--
	}
	for 2*c <= together && !t.isMet(c, together) {
		c++
	}
	return c
}

// least is how many elements of a set of that size must be in the other one at least, whatever
// size that has. It is also the smallest size of the other one.
func (t threshold) least(size int) int {
	n := int(math.Ceil(float64(t) * float64(size)))
	n = max(1, min(n, size))
	for n > 1 && float64(n-1)/float64(size) >= float64(t) {
		n--
	}
	for n < size && float64(n)/float64(size) < float64(t) {
		n++
	}
	return n
}

// prefix is how many elements of a set must be looked up, so that no similar one is missed.
func (t threshold) prefix(size int) int { return size - t.least(size) + 1 }
