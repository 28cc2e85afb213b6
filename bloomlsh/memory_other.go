//go:build !linux

package bloomlsh

// allocate returns zeroed words.
func allocate(words uint64) ([]uint64, error) {
	return make([]uint64, words), nil
}

// enlarge does nothing: the size of pages is up to the system.
func enlarge([]uint64) {}

// release gives back what allocate returned: here the collector does.
func release([]uint64) error { return nil }

// populate does nothing: the memory is there.
func populate([]byte) {}

// revisit does nothing: only on Linux was it seen that a host drops the translations of addresses.
func revisit([]byte) {}

// availableMemory is not known on this system, so nothing is refused.
func availableMemory() (bytes uint64, known bool) { return 0, false }
