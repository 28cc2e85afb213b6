package offheap

import (
	"fmt"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	wordBytes = 8
	hugePage  = 2 << 20 // the size of a huge page where pages have 4 KiB
)

// Allocate returns zeroed words, one or more. Large ones stand on huge pages where the system
// grants them. The error is ErrMemory.
func Allocate(words uint64) ([]uint64, error) {
	if words > math.MaxInt/wordBytes {
		return nil, fmt.Errorf("%w: %d words are beyond the address space", ErrMemory, words)
	}
	const access, kind = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_PRIVATE | unix.MAP_ANON
	memory, err := unix.Mmap(-1, 0, int(words*wordBytes), access, kind)
	if err != nil {
		return nil, fmt.Errorf("%w: map %d bytes: %w", ErrMemory, words*wordBytes, err)
	}
	if len(memory) >= 2*hugePage {
		_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // a hint
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), words), nil
}

// Release gives back all that Allocate returned.
func Release(words []uint64) error {
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*wordBytes))
}
