// Package offheap has memory outside the Go heap, for what is large and grows: there it is gone at
// once when it is given back, not when the heap has doubled.
package offheap

import "errors"

const (
	wordBytes = 8
	hugePage  = 2 << 20 // the size of a huge page where pages have 4 KiB
	hugeWords = hugePage / wordBytes
)

// ErrMemory is the error of memory that the system does not give.
var ErrMemory = errors.New("not enough memory")

// Whole rounds a number of words down to whole huge pages, if there is one. Memory of whole huge
// pages grows without being copied.
func Whole(words uint64) uint64 {
	if words < hugeWords {
		return words
	}
	return words / hugeWords * hugeWords
}
