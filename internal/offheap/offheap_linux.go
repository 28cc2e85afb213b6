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
// the system grants them, since random access then needs far fewer address translations. The error
// is ErrMemory.
func Allocate(words uint64) ([]uint64, error) {
	if words > (math.MaxInt-hugePage)/wordBytes {
		return nil, fmt.Errorf("%w: %d words are beyond the address space", ErrMemory, words)
	}
	size := words * wordBytes
	if size > hugePage { // a mapping of whole huge pages is laid on their edges, by Linux 6.7 and later
		size = (size + hugePage - 1) / hugePage * hugePage
	}
	const access, kind = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_PRIVATE | unix.MAP_ANON
	memory, err := unix.Mmap(-1, 0, int(size), access, kind)
	if err != nil {
		return nil, fmt.Errorf("%w: map %d bytes: %w", ErrMemory, size, err)
	}
	if size >= hugePage {
		_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // a hint
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), size/wordBytes)[:words], nil
}

// Grow returns memory of more words, the first of which are those that Allocate returned, and are
// gone. Where the pages stay of one kind they are not copied, and the rest is zero. If there is no
// more memory nothing has changed.
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

// mapped is the whole mapping that Allocate or Grow has made for some words.
func mapped(words []uint64) []byte {
	words = words[:cap(words)]
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*wordBytes)
}

// Release gives back all that Allocate returned. The end of a program waits for gigabytes to be
// freed, so each core frees a part of them.
func Release(words []uint64) error {
	memory := mapped(words)
	if len(memory) >= 1<<30 {
		// memory that Madvise does not free is freed by Munmap below
		onAllCores(memory, func(part []byte) { _ = unix.Madvise(part, unix.MADV_DONTNEED) })
	}
	return unix.Munmap(memory)
}

// Populate has the system hand out memory before it is filled. Several who fill parts of a huge
// page that is not there yet would each have it cleared.
func Populate(memory []byte) {
	_ = unix.Madvise(memory, unix.MADV_POPULATE_WRITE) // before Linux 5.14 it comes when it is touched
}

// Revisit reads a byte of each huge page of memory that was filled some time ago. Under a virtual
// machine the translation of its address may be gone by then: a host that makes a large page of
// small ones, for instance, drops the translations of both. The first access to the page then waits
// some 65 µs until the translation is there again, and random accesses would wait for page after
// page of gigabytes. Here all cores wait at the same time.
func Revisit(memory []byte) {
	onAllCores(memory, func(part []byte) {
		var sum byte
		for i := 0; i < len(part); i += hugePage {
			sum += part[i]
		}
		runtime.KeepAlive(sum)
	})
}

// cores are those that the process may use when it starts.
var cores = runtime.GOMAXPROCS(0)

// onAllCores passes memory in parts of whole huge pages, one for each core, and waits.
func onAllCores(memory []byte, do func(part []byte)) {
	pages := (len(memory)/cores + hugePage) / hugePage
	var busy sync.WaitGroup
	for part := range slices.Chunk(memory, pages*hugePage) {
		busy.Go(func() { do(part) })
	}
	busy.Wait()
}
