//go:build !unix

package substr

import (
	"fmt"
	"os"
)

// mapFile reads the first size bytes of a file; where there is no mapping, everything stays in
// memory.
func mapFile(file *os.File, size int, writable bool) ([]byte, error) {
	data := make([]byte, size)
	if n, err := file.ReadAt(data, 0); n < size {
		return nil, fmt.Errorf("read %d bytes of %s: %w", size, file.Name(), err)
	}
	return data, nil
}

func unmap([]byte) {}
