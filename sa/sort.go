package sa

import (
	"fmt"
	"math"
)

// Index is the type of an entry of a suffix array. Texts of more than 2³¹−1 bytes need int64.
type Index interface{ ~int32 | ~int64 }

// symbol is what a text is made of: bytes, and in the recursion the names of substrings.
type symbol interface{ ~uint8 | ~int32 | ~int64 }

// Sort writes the suffix array of text to array, which must be as long as text: afterwards
// text[array[i]:] < text[array[i+1]:] for each i. A suffix that is a prefix of another one comes
// first.
//
// The algorithm is SA-IS (Nong, Zhang, Chan: Linear Suffix Array Construction by Almost Pure
// Induced-Sorting, DCC 2009). It is linear in time for every text. Its work space is the array
// itself, see the package comment for the exception.
func Sort[I Index](text []byte, array []I) error {
	if len(array) != len(text) {
		return fmt.Errorf("suffix array: %d entries for a text of %d bytes", len(array), len(text))
	}
	if int64(len(text)) > maxOf[I]() {
		return fmt.Errorf("suffix array: %d bytes of text need 64-bit indexes", len(text))
	}
	clear(array)
	sortSuffixes(text, 256, array)
	return nil
}

// maxOf is the greatest value that I holds.
func maxOf[I Index]() int64 {
	if wide := int64(math.MaxInt32) + 1; int64(I(wide)) != wide {
		return math.MaxInt32
	}
	return math.MaxInt64
}

// sortSuffixes is SA-IS over a text of symbols below alphabet. The array must be zero.
//
// A suffix is of type S if it is less than the suffix one symbol to its right, else of type L; the
// empty suffix at the end is the smallest of all. An LMS suffix ("leftmost S") is one of type S
// after one of type L. Given the LMS suffixes in order, two sweeps over the array put all others in
// order (induce). To order the LMS suffixes, the same two sweeps first order the substrings between
// them (sortLMS); equal substrings get equal names, and if a name occurs twice, the order comes
// from the suffix array of the text of names, which is at most half as long.
func sortSuffixes[C symbol, I Index](text []C, alphabet int, array []I) {
	n := len(text)
	if n < 2 {
		return // one suffix, 0, and the array is zero
	}
	b := newBuckets(text, alphabet, array)
	b.sortLMS()
	if b.lms > 1 {
		b.orderLMS()
	}
	b.placeLMS()
	b.induce()
}

// buckets is the state of one level of the recursion. The bucket of a symbol is the part of the
// array where the suffixes that begin with it belong.
type buckets[C symbol, I Index] struct {
	text  []C
	array []I
	count []I // how often each symbol occurs
	next  []I // the place in each bucket that is filled next
	lms   int // the number of LMS suffixes
}

func newBuckets[C symbol, I Index](text []C, alphabet int, array []I) *buckets[C, I] {
	tables := make([]I, 2*alphabet)
	b := &buckets[C, I]{text: text, array: array, count: tables[:alphabet], next: tables[alphabet:]}
	for _, c := range text {
		b.count[c]++
	}
	return b
}

// toHeads points next at the first place of each bucket.
func (b *buckets[C, I]) toHeads() {
	var sum I
	for c, count := range b.count {
		b.next[c] = sum
		sum += count
	}
}

// toTails points next to the place just after the last one of each bucket.
func (b *buckets[C, I]) toTails() {
	var sum I
	for c, count := range b.count {
		sum += count
		b.next[c] = sum
	}
}

// eachLMS calls f with each LMS position, from the right to the left.
func (b *buckets[C, I]) eachLMS(f func(p int)) {
	isS := false
	right := b.text[len(b.text)-1]
	for p := len(b.text) - 2; p >= 0; p-- {
		c := b.text[p]
		if c < right {
			isS = true
		} else if c > right {
			if isS {
				f(p + 1)
			}
			isS = false
		}
		right = c
	}
}
