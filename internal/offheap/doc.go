// Package offheap allocates memory outside the Go heap, for large growing structures: it is freed
// at once, not when the heap has doubled.
package offheap

import "errors"

const (
	wordBytes = 8
	hugePage  = 2 << 20 // the size of a huge page where pages have 4 KiB
	hugeWords = hugePage / wordBytes
)

// ErrMemory is returned if the system refuses to allocate memory.
var ErrMemory = errors.New("not enough memory")

// RoundToPages rounds a number of words down to whole huge pages, if it contains at least one.
// Memory of whole huge pages grows without a copy.
func RoundToPages(words uint64) uint64 {
	if words < hugeWords {
		return words
	}
	return words / hugeWords * hugeWords
}

// RoundUp rounds a number of words up to whole huge pages, if it is more than one. That is the
// capacity of what Allocate returns for it.
func RoundUp(words uint64) uint64 {
	if words <= hugeWords {
		return words
	}
	return (words + hugeWords - 1) / hugeWords * hugeWords
}
