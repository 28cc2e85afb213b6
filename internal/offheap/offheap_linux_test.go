package offheap

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What is given back on several cores is given back whole, the last part as well, and no more than
// that.
func TestReleaseOfGigabytes(t *testing.T) {
	beside, err := Allocate(512)
	if err != nil {
		t.Fatal(err)
	}
	defer Release(beside)
	beside[0] = 7
	words, err := Allocate(1<<27 + 5*512)
	if err != nil {
		t.Fatal(err)
	}
	words[0], words[len(words)-1] = 1, 1
	memory := mapped(words)
	if err := Release(words); err != nil {
		t.Fatal(err)
	}
	// the very end is where the system puts what is mapped next
	for _, page := range [][]byte{memory[:4096], memory[len(memory)/8*7:][:4096]} {
		if err := unix.Madvise(page, unix.MADV_NORMAL); err != unix.ENOMEM {
			t.Errorf("a page is still mapped: %v", err)
		}
	}
	if beside[0] != 7 {
		t.Error("memory of somebody else was given back")
	}
}

// A word that is written takes one page of memory, and not a huge one.
func TestSparseTakesWhatIsWritten(t *testing.T) {
	words, err := AllocateSparse(2 * hugeWords)
	if err != nil {
		t.Fatal(err)
	}
	defer Release(words)
	words[hugeWords+5] = 1
	taken := 0
	for _, isThere := range residentPages(t, mapped(words)) {
		if isThere {
			taken++
		}
	}
	if taken != 1 {
		t.Errorf("one word takes %d pages", taken)
	}
}

// Of a file that is mapped and not in memory, those pages are in memory afterwards that were read.
func TestRevisit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	const size = 9*hugePage + 4096 // no whole number of huge pages for any number of cores
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	memory, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(memory)
	if err := unix.Madvise(memory, unix.MADV_RANDOM); err != nil { // nothing is read ahead
		t.Fatal(err)
	}
	before := residentPages(t, memory)
	for page := 0; page < len(before); page += hugePage / 4096 {
		if before[page] {
			t.Fatalf("page %d of a file that nobody has read is in memory", page)
		}
	}
	Revisit(memory)
	after := residentPages(t, memory)
	for page := 0; page < len(after); page += hugePage / 4096 {
		if !after[page] {
			t.Errorf("page %d was not read", page)
		}
	}
}

// residentPages reports which pages of 4 KiB are in memory.
func residentPages(t *testing.T, memory []byte) []bool {
	t.Helper()
	raw := make([]byte, (len(memory)+4095)/4096)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&memory[0])), uintptr(len(memory)),
		uintptr(unsafe.Pointer(&raw[0]))); errno != 0 {
		t.Fatal(errno)
	}
	pages := make([]bool, len(raw))
	for i, r := range raw {
		pages[i] = r&1 != 0
	}
	return pages
}
