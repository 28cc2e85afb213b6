//go:build !linux

package offheap

// Allocate returns zeroed words, one or more.
func Allocate(words uint64) ([]uint64, error) { return make([]uint64, words), nil }

// Grow returns memory of more words, the first of which are those that Allocate returned, and are
// gone.
func Grow(words []uint64, to uint64) ([]uint64, error) {
	larger := make([]uint64, to)
	copy(larger, words)
	return larger, nil
}

// Release gives back all that Allocate returned: here the collector does.
func Release([]uint64) error { return nil }

// Populate does nothing: the memory is there.
func Populate([]byte) {}

// Revisit does nothing: only on Linux was it seen that a host drops the translations of addresses.
func Revisit([]byte) {}
