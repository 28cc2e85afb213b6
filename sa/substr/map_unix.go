//go:build unix

package substr

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of a file, which must have as many.
func mapFile(file *os.File, size int, writable bool) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	access := unix.PROT_READ
	if writable {
		access |= unix.PROT_WRITE
	}
	data, err := unix.Mmap(int(file.Fd()), 0, size, access, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of %s: %w", size, file.Name(), err)
	}
	return data, nil
}

func unmap(data []byte) {
	if data != nil {
		_ = unix.Munmap(data) // fails only for an address that was never mapped
	}
}
