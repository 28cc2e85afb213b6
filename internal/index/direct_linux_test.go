package index

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// testDisks returns directories on different kinds of file systems. Files in /dev/shm exist only in
// the page cache.
func testDisks(t *testing.T) map[string]string {
	disks := map[string]string{"disk": t.TempDir()}
	if dir, err := os.MkdirTemp("/dev/shm", "index-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		disks["memory"] = dir
	}
	return disks
}

// evict drops a file from the page cache and reports whether it could.
func evict(t *testing.T, name string) bool {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)); err != nil {
		t.Fatal(err)
	}
	return !cached(f, 0, info.Size())
}

// TestReadPastThePageCache checks that reads of any alignment return the contents of the file, and
// that direct reads leave nothing in the page cache.
func TestReadPastThePageCache(t *testing.T) {
	memory, err := offheap.Allocate(2 * extentSize / 8)
	if err != nil {
		t.Fatal(err)
	}
	defer offheap.Release(memory)
	aligned := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)*8)
	data := make([]byte, 3*extentSize+100)
	rand.NewChaCha8([32]byte{}).Read(data)
	for disk, dir := range testDisks(t) {
		name := filepath.Join(dir, "file")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cold := evict(t, name)
		opened, err := store.OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Environment{}.openExtents(opened, "file")
		if err := errors.Join(err, opened.Close()); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: past the page cache %v, evicted %v", disk, f.direct != nil, cold)
		if _, err := f.ReadAt(aligned[:extentSize], 4096); err != nil ||
			!bytes.Equal(aligned[:extentSize], data[4096:][:extentSize]) {
			t.Fatalf("%s: an extent is read otherwise than it was written: %v", disk, err)
		}
		if cold && f.direct != nil && cached(f.File.File, 4096, extentSize) {
			t.Errorf("%s: the extent went through the page cache", disk)
		}
		for _, c := range []struct {
			into   []byte
			offset int64
		}{
			{aligned[:extentSize], 3 * extentSize},         // beyond the end
			{aligned[:100], 3 * extentSize},                // to the end
			{aligned[:5000], 4096},                         // no whole sectors
			{aligned[:4096], 1},                            // starts within a sector
			{aligned[8 : 8+4096], 4096},                    // memory starts within a sector
			{aligned[:2*extentSize], 0},                    // partly in the page cache by now
			{aligned[:4096], int64(len(data)) + 4096},      // after the end
			{make([]byte, 4096+1)[1:], 2 * extentSize},     // memory from the Go heap
			{aligned[:extentSize], 2*extentSize + 4096},    // beyond the end, by less than an extent
			{aligned[:extentSize-4096], 2*extentSize + 64}, // all but the end
		} {
			clear(c.into)
			n, err := f.ReadAt(c.into, c.offset)
			want := data[min(c.offset, int64(len(data))):]
			want = want[:min(len(want), len(c.into))]
			if !bytes.Equal(c.into[:n], want) || (err == io.EOF) != (n < len(c.into)) || err != nil && err != io.EOF {
				t.Errorf("%s: %d bytes at %d: %d are read, %v", disk, len(c.into), c.offset, n, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := f.direct.ReadAt(aligned[:4096], 0); f.direct != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: after Close the second file is open: %v", disk, err)
		}
	}
}

// TestScanMemory checks that a scan never uses more memory than it scans.
func TestScanMemory(t *testing.T) {
	for _, words := range []int64{1, 512, extentSize/8 - 1, extentSize / 8, extentSize/8 + 1, 3*extentSize/8 + 5,
		100 * extentSize / 8} {
		f := &SealedFile{body: words * 8}
		if n := int64(f.readers()); n < 1 || n > maxReaders || n > 1 && n*extentSize > words*8 {
			t.Errorf("%d readers for %d bytes", n, words*8)
		}
	}
}
