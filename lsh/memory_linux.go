package lsh

import (
	"fmt"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page where pages have 4 KiB.
const hugePage = 2 << 20

// allocate returns zeroed words outside the Go heap: there a table that has grown is gone at once,
// not when the heap has doubled. Large ones stand on huge pages where the system grants them.
func allocate(words uint64) ([]uint64, error) {
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

// release gives back what allocate returned.
func release(words []uint64) error {
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*wordBytes))
}
