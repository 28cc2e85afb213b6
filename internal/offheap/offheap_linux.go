package offheap

import (
	"fmt"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
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
	if len(memory) >= hugePage {
		_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // a hint
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), words), nil
}

// Grow returns memory of more words, the first of which are those that Allocate returned, and are
// gone. Where the pages stay of one kind they are not copied, and the rest is zero. If there is no
// more memory nothing has changed.
func Grow(words []uint64, to uint64) ([]uint64, error) {
	from := uint64(len(words))
	wasHuge, isHuge := from%hugeWords == 0, to%hugeWords == 0
	if wasHuge && isHuge || to < hugeWords {
		memory, err := unix.Mremap(bytesOf(words), int(to*wordBytes), unix.MREMAP_MAYMOVE)
		if err != nil {
			return nil, fmt.Errorf("%w: map %d bytes in place of %d: %w", ErrMemory, to*wordBytes, from*wordBytes, err)
		}
		return unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), to), nil
	}
	larger, err := Allocate(to)
	if err != nil {
		return nil, err
	}
	copy(larger, words)
	return larger, Release(words)
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*wordBytes)
}

// Release gives back all that Allocate returned.
func Release(words []uint64) error {
	return unix.Munmap(bytesOf(words))
}
