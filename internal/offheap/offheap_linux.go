package offheap

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Allocate returns one or more zeroed words. Allocations larger than a huge page use huge pages if
// the system allows, since random access then needs far fewer address translations. The error is
// ErrMemory.
func Allocate(words uint64) ([]uint64, error) { return allocate(words, unix.MADV_HUGEPAGE) }

// AllocateSparse is Allocate for memory that may only be used at its beginning. It avoids huge
// pages, since the kernel clears all 2 MiB of one at the first write.
func AllocateSparse(words uint64) ([]uint64, error) { return allocate(words, unix.MADV_NOHUGEPAGE) }

func allocate(words uint64, advice int) ([]uint64, error) {
	if words > (math.MaxInt-hugePage)/wordBytes {
		return nil, fmt.Errorf("%w: %d words are beyond the address space", ErrMemory, words)
	}
	size := words * wordBytes
	if size > hugePage { // Linux 6.7 and later align a mapping of whole huge pages
		size = (size + hugePage - 1) / hugePage * hugePage
	}
	const access, kind = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_PRIVATE | unix.MAP_ANON
	memory, err := unix.Mmap(-1, 0, int(size), access, kind)
	if err != nil {
		return nil, fmt.Errorf("%w: map %d bytes: %w", ErrMemory, size, err)
	}
	if size >= hugePage {
		_ = unix.Madvise(memory, advice) // only a hint
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), size/wordBytes)[:words], nil
}

// Grow returns more words, beginning with those that Allocate returned, which must not be used any
// more. If the kind of pages stays the same nothing is copied; the new words are zero. If it fails,
// words is unchanged.
func Grow(words []uint64, to uint64) ([]uint64, error) {
	from := uint64(len(words))
	wasHuge, isHuge := from%hugeWords == 0, to%hugeWords == 0
	if wasHuge && isHuge || to < hugeWords {
		memory, err := unix.Mremap(mapped(words), int(to*wordBytes), unix.MREMAP_MAYMOVE)
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

// mapped returns the whole mapping that Allocate or Grow made for words.
func mapped(words []uint64) []byte {
	words = words[:cap(words)]
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*wordBytes)
}

// Release frees what Allocate returned. Since the end of a program would wait for gigabytes to be
// freed, each core frees a part.
func Release(words []uint64) error {
	memory := mapped(words)
	if len(memory) >= 1<<30 {
		// Munmap below frees what Madvise does not
		onAllCores(memory, func(part []byte) { _ = unix.Madvise(part, unix.MADV_DONTNEED) })
	}
	return unix.Munmap(memory)
}

// Populate allocates pages before they are written. Otherwise several goroutines that write to a
// new huge page would each clear it.
func Populate(memory []byte) {
	// before Linux 5.14 pages are allocated on first use
	_ = unix.Madvise(memory, unix.MADV_POPULATE_WRITE)
}

// Revisit reads a byte of each huge page that was filled some time ago. In a virtual machine its
// address translation may be gone by then, for example because the host merged small pages into a
// large one. The first access to such a page waits some 65 µs, and random accesses would wait for
// page after page. Here all cores wait in parallel.
func Revisit(memory []byte) {
	onAllCores(memory, func(part []byte) {
		var sum byte
		for i := 0; i < len(part); i += hugePage {
			sum += part[i]
		}
		runtime.KeepAlive(sum)
	})
}

// cores is the number of cores available when the process starts.
var cores = runtime.GOMAXPROCS(0)

// onAllCores divides memory into parts of whole huge pages, one for each core, and waits.
func onAllCores(memory []byte, do func(part []byte)) {
	pages := (len(memory)/cores + hugePage) / hugePage
	var busy sync.WaitGroup
	for part := range slices.Chunk(memory, pages*hugePage) {
		busy.Go(func() { do(part) })
	}
	busy.Wait()
}
