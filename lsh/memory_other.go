//go:build !linux

package lsh

// allocate returns zeroed words.
func allocate(words uint64) ([]uint64, error) { return make([]uint64, words), nil }

// release gives back what allocate returned: here the collector does.
func release([]uint64) error { return nil }
