//go:build !linux

package bloomlsh

// availableMemory is not known on this system, so no index is rejected.
func availableMemory() (bytes uint64, known bool) { return 0, false }
