package pairs

import "math"

// A threshold is the minimum Jaccard similarity of a pair. Everything derived from it uses the same
// division as the final decision, so that rounding never loses a pair.
type threshold float64

// isMet reports whether two sets with that many elements in total, counting common ones twice, are
// similar enough.
func (t threshold) isMet(common, together int) bool {
	return similarity(common, together) >= float64(t)
}

// similarity returns the Jaccard similarity of two sets with together elements in total, counting
// common ones twice.
func similarity(common, together int) float64 {
	return float64(common) / float64(together-common)
}

// needed returns the minimum number of common elements, or more than half of together if none
// suffices.
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

// least returns the minimum number of elements of a set that a similar one must have, whatever its
// size. It is also the minimum size of the similar set.
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

// prefix returns the number of elements of a set that must be looked up to miss no similar set.
func (t threshold) prefix(size int) int { return size - t.least(size) + 1 }
