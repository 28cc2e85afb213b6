package boilerplate

import (
	"cmp"
	"slices"
)

// Items are sorted by the upper halves of their hashes, a byte at a time, and then those that agree
// there as a whole: few differ below.
const (
	sortedBytes = 4 // of each hash
	passes      = 2 * sortedBytes
)

// digit returns what items are sorted by in a pass, from the last byte to the first.
func (x item) digit(pass int) byte {
	if pass < sortedBytes {
		return byte(x.hash >> (32 + 8*pass))
	}
	return byte(x.site >> (32 + 8*(pass-sortedBytes)))
}

// sortItems sorts items by site and hash, with scratch of the same length. It returns the one of
// the two that they are in.
func sortItems(items, scratch []item) []item {
	var counts [passes][256]int
	for _, x := range items {
		for pass := range passes {
			counts[pass][x.digit(pass)]++
		}
	}
	for pass := range passes {
		of := &counts[pass]
		if len(items) == 0 || of[items[0].digit(pass)] == len(items) {
			continue // all have the same
		}
		start := 0
		for i, n := range of {
			of[i] = start
			start += n
		}
		for _, x := range items {
			place := &of[x.digit(pass)]
			scratch[*place] = x
			*place++
		}
		items, scratch = scratch, items
	}
	fix(items, func(x, y item) bool { return x.site>>32 == y.site>>32 },
		func(x, y item) bool { return x.site == y.site })
	fix(items, func(x, y item) bool { return x.site == y.site && x.hash>>32 == y.hash>>32 },
		func(x, y item) bool { return x == y })
	return items
}

// fix sorts each run of items that are alike as a whole, if some of them are not equal.
func fix(items []item, alike, equal func(x, y item) bool) {
	for start := 0; start < len(items); {
		first, end, differ := items[start], start+1, false
		for ; end < len(items) && alike(first, items[end]); end++ {
			differ = differ || !equal(first, items[end])
		}
		if differ {
			slices.SortFunc(items[start:end], item.compare)
		}
		start = end
	}
}

func (x item) compare(y item) int {
	return cmp.Or(cmp.Compare(x.site, y.site), cmp.Compare(x.hash, y.hash))
}

// eachCounted hands over how often each of the sorted items occurs.
func eachCounted(items []item, take func(of item, count uint64) error) error {
	for start := 0; start < len(items); {
		end := start + 1
		for end < len(items) && items[end] == items[start] {
			end++
		}
		if err := take(items[start], uint64(end-start)); err != nil {
			return err
		}
		start = end
	}
	return nil
}
