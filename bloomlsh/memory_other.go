//go:build !linux

package bloomlsh

// availableMemory is not known on this system, so nothing is refused.
func availableMemory() (bytes uint64, known bool) { return 0, false }
