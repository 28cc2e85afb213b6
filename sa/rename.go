package sa

import (
	"slices"

	"unsafe"
)

// orderLMS sorts the LMS suffixes, given their substrings in order in the last places of the array,
// and leaves them in order in its first places; everything after is garbage that the caller
// clears.
func (b *buckets[C, I]) orderLMS() {
	n := len(b.array)
	b.measure()
	names := b.name()
	head, tail := b.array[:b.lms], b.array[n-b.lms:]
	if names == b.lms {
		copy(head, tail) // each substring occurs once, so they are in the order of the suffixes
		clear(b.array[b.lms:])
		return
	}
	// The names, in text order, are the reduced text. They go to the end of the array; its suffix
	// array to the beginning.
	at := n - 1
	for i := n / 2; i >= 0; i-- {
		if b.array[i] > 0 {
			b.array[at] = b.array[i] - 1
			at--
		}
	}
	clear(head)
	sortSuffixes(tail, names, head)
	at = n
	b.eachLMS(func(p int) {
		at--
		b.array[at] = I(p)
	})
	for i, j := range head {
		head[i] = tail[j]
	}
	clear(b.array[b.lms:])
}

// measure describes the LMS substring at p in array[p/2]. No two LMS positions are neighbours, so
// each has a place of its own, and the ordered substrings after array[n/2] stay. A substring
// reaches up to and including the next LMS position. The description is its content where that fits
// into an entry, which spares name two cache misses, else its length, negative. The last substring
// ends with the text and equals no other; its description is 0.
func (b *buckets[C, I]) measure() {
	fit := 0
	if len(b.count) == 256 { // symbols are bytes, or as small
		fit = int(unsafe.Sizeof(I(0))) - 1
	}
	end := 0
	b.eachLMS(func(p int) {
		switch {
		case end == 0:
			b.array[p/2] = 0
		case end-p > fit:
			b.array[p/2] = -I(end - p)
		default:
			content := I(end - p)
			for _, c := range b.text[p:end] {
				content = content<<8 | I(c)
			}
			b.array[p/2] = content
		}
		end = p + 1
	})
}

// name replaces each description by the rank of its substring among the different ones, from 1, and
// returns how many there are.
func (b *buckets[C, I]) name() int {
	text, array := b.text, b.array
	names := I(0)
	previous, last := I(0), I(0)
	for _, p := range array[len(array)-b.lms:] {
		d := array[p/2]
		if d == 0 || d != last || d < 0 && !slices.Equal(text[p:p-d], text[previous:previous-d]) {
			names++
			previous, last = p, d
		}
		array[p/2] = names
	}
	return int(names)
}
