//go:build !linux

package offheap

// Allocate returns zeroed words, one or more.
func Allocate(words uint64) ([]uint64, error) { return make([]uint64, words), nil }

// AllocateSparse returns zeroed words, one or more.
func AllocateSparse(words uint64) ([]uint64, error) { return Allocate(words) }

// Grow returns more words, beginning with those that Allocate returned, which must not be used any
// more.
func Grow(words []uint64, to uint64) ([]uint64, error) {
	larger := make([]uint64, to)
	copy(larger, words)
	return larger, nil
}

// Release does nothing: the garbage collector frees the memory.
func Release([]uint64) error { return nil }

// Populate does nothing.
func Populate([]byte) {}

// Revisit does nothing: only on Linux were hosts seen to drop address translations.
func Revisit([]byte) {}
