package bloomlsh

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// hugePage is the size of a huge page where pages have 4 KiB.
const hugePage = 2 << 20

// allocate returns zeroed words outside the Go heap, where the collector neither counts nor scans
// them.
func allocate(words uint64) ([]uint64, error) {
	if words > (math.MaxInt-hugePage)/8 {
		return nil, fmt.Errorf("%w: %s are beyond the address space", ErrMemory, units.Bytes(words*8))
	}
	size := words * 8
	if size > hugePage { // a mapping of whole huge pages is laid on their edges, by Linux 6.7 and later
		size = (size + hugePage - 1) / hugePage * hugePage
	}
	raw, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("%w: map %s: %w", ErrMemory, units.Bytes(size), err)
	}
	return wordsOf(raw)[:words], nil
}

// enlarge puts words that allocate has returned, and that are not in use yet, on huge pages where
// the system grants them, which spare most of the translations that a random access pattern needs.
// It is a hint: without them the index is slower and otherwise the same.
func enlarge(words []uint64) { _ = unix.Madvise(bytesOf(words[:cap(words)]), unix.MADV_HUGEPAGE) }

// release gives back what allocate returned. The end of the program waits for gigabytes to be
// freed, so each core frees a part of them.
func release(words []uint64) error {
	memory := bytesOf(words[:cap(words)])
	if len(memory) >= 1<<30 {
		// memory that Madvise does not free is freed by Munmap below
		onAllCores(memory, func(part []byte) { _ = unix.Madvise(part, unix.MADV_DONTNEED) })
	}
	return unix.Munmap(memory)
}

// revisit reads a byte of each huge page of memory that was filled some time ago. Under a virtual
// machine the translation of its address may be gone by then: a host that makes a large page of
// small ones, for instance, drops the translations of both. The first access to the page then waits
// some 65 µs until the translation is there again. Keys fall into all pages, so the first few
// thousand records would wait for page after page of gigabytes. Here all cores wait at the same
// time.
func revisit(memory []byte) {
	onAllCores(memory, func(part []byte) {
		var sum byte
		for i := 0; i < len(part); i += hugePage {
			sum += part[i]
		}
		runtime.KeepAlive(sum)
	})
}

// onAllCores passes memory in parts of whole huge pages, one for each core, and waits.
func onAllCores(memory []byte, do func(part []byte)) {
	pages := (len(memory)/defaultCores.count + hugePage) / hugePage
	var busy sync.WaitGroup
	for part := range slices.Chunk(memory, pages*hugePage) {
		busy.Go(func() { do(part) })
	}
	busy.Wait()
}

// populate has the system hand out memory before it is filled. Several who fill parts of a huge
// page that is not there yet would each have it cleared.
func populate(memory []byte) {
	_ = unix.Madvise(memory, unix.MADV_POPULATE_WRITE) // before Linux 5.14 it comes when it is touched
}

// availableMemory returns the bytes that this process can take without swapping: what the system
// has available, or what is left under the limit of a control group, whichever is less.
func availableMemory() (bytes uint64, known bool) {
	return availableIn(os.DirFS("/"))
}

func availableIn(root fs.FS) (available uint64, known bool) {
	meminfo, _ := fs.ReadFile(root, "proc/meminfo")
	if kib, ok := field(meminfo, "MemAvailable:"); ok {
		available, known = kib*1024, true
	}
	for _, group := range memoryGroups(root) {
		if left, ok := group.left(root); ok && (!known || left < available) {
			available, known = left, true
		}
	}
	return available, known
}

// memoryGroup is a control group whose limit holds for this process, with the file names of its
// version.
type memoryGroup struct {
	dir, limit, usage, cache string
}

// memoryGroups lists the control groups of this process, from its own up to the root, for both
// versions of the interface.
func memoryGroups(root fs.FS) (groups []memoryGroup) {
	memberships, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(memberships)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
		if len(parts) != 3 {
			continue
		}
		group := memoryGroup{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
		if parts[0] != "0" {
			if parts[1] != "memory" {
				continue
			}
			group = memoryGroup{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
				"total_inactive_file"}
		}
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			member := group
			member.dir = path.Join(group.dir, dir)
			groups = append(groups, member)
			if dir == "/" {
				break
			}
		}
	}
	return groups
}

// left is the group's limit less what it uses. File pages that are not in use count as free, since
// the kernel drops them first.
func (g memoryGroup) left(root fs.FS) (uint64, bool) {
	limit, ok := readNumber(root, path.Join(g.dir, g.limit))
	// "max", which is a number in version 1, or a group that cannot be seen from inside a container
	if !ok || limit > 1<<62 {
		return 0, false
	}
	usage, _ := readNumber(root, path.Join(g.dir, g.usage))
	stat, _ := fs.ReadFile(root, path.Join(g.dir, "memory.stat"))
	cache, _ := field(stat, g.cache)
	usage -= min(usage, cache)
	return limit - min(limit, usage), true
}

func readNumber(root fs.FS, name string) (uint64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

// field finds the number after a name in lines of names and numbers.
func field(text []byte, name string) (uint64, bool) {
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) >= 2 && words[0] == name {
			n, err := strconv.ParseUint(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
