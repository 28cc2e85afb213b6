package signatures

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// allocate returns zeroed words outside the Go heap.
func allocate(words uint64) ([]uint64, error) {
	memory, err := offheap.Allocate(words)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return memory, nil
}

// release gives back what allocate returned.
func release(words []uint64) error { return offheap.Release(words) }
