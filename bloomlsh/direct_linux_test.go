package bloomlsh

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// testDisks are directories on file systems of different kinds: those of /dev/shm are in the page
// cache and nowhere else.
func testDisks(t *testing.T) map[string]string {
	disks := map[string]string{"disk": t.TempDir()}
	if dir, err := os.MkdirTemp("/dev/shm", "bloomlsh-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		disks["memory"] = dir
	}
	return disks
}

// evict drops a file from the page cache and says whether that could be done.
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

// Whatever its alignment, a read gives what is in the file; and what is read past the page cache
// leaves nothing in it.
func TestReadPastThePageCache(t *testing.T) {
	memory, err := allocate(2 * extentSize / 8)
	if err != nil {
		t.Fatal(err)
	}
	defer offheap.Release(memory)
	aligned := bytesOf(memory)
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
		f, err := environment{}.openExtents(opened, "file")
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
			{aligned[:4096], 1},                            // begins within a sector
			{aligned[8 : 8+4096], 4096},                    // memory begins within one
			{aligned[:2*extentSize], 0},                    // partly in the page cache by now
			{aligned[:4096], int64(len(data)) + 4096},      // after the end
			{make([]byte, 4096+1)[1:], 2 * extentSize},     // memory of the collector
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

// An index of many extents is found as it was left by all who read it past the page cache, and
// damage is refused. The filters are classic, since those end within a sector.
func TestOpenPastThePageCache(t *testing.T) {
	p := Params{Bands: 5, Capacity: 600_000, FPRate: 1e-6, Filter: FilterClassic, Remember: RememberAll,
		OnFull: OnFullGrow}
	for disk, dir := range testDisks(t) {
		env := testEnvironment(1 << 30)
		env.directFrom = 0
		dir = filepath.Join(dir, "idx")
		s, err := openStore(env, dir, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		stream, keys := &keyStream{1}, make([]Key, p.Bands)
		for range 20_000 {
			stream.fill(keys)
			observeRecord(s, keys)
		}
		left, body := digest(s.index, Position{}), int64(s.index.bytes())
		if extents(body) < maxReaders+2 {
			t.Fatalf("%d extents are too few for this test", extents(body))
		}
		if err := errors.Join(s.Commit(Position{}), s.Close(), compact(env, dir, Undo{})); err != nil {
			t.Fatal(err)
		}
		base := filepath.Join(dir, "base-1-2")
		evict(t, base)
		s, err = openStore(env, dir, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if found := digest(s.index, Position{}); found != left {
			t.Errorf("%s: found as %s, left as %s", disk, found, left)
		}
		s.Close()
		evict(t, base)
		if _, err := verify(env, dir); err != nil {
			t.Errorf("%s: %v", disk, err)
		}
		evict(t, base)
		if err := merge(env, []string{dir}, dir+"-copy"); err != nil {
			t.Fatal(err)
		}
		if s, err = openStore(env, dir+"-copy", p, nil); err != nil {
			t.Fatal(err)
		}
		if found := digest(s.index, Position{}); found != left {
			t.Errorf("%s: copied as %s, left as %s", disk, found, left)
		}
		s.Close()

		for _, i := range []int64{maxReaders, extents(body) - 1} {
			start := baseHeaderSize + i*extentSize
			flipOnDisk(t, base, start+i)
			evict(t, base)
			place := fmt.Sprintf("%s:%d: ", base, start)
			_, verified := verify(env, dir)
			_, opened := openStore(env, dir, p, nil)
			_, read := openReader(env, dir, p.Bands, nil, 0)
			for _, err := range []error{verified, opened, read} {
				if !errors.Is(err, ErrCorrupt) || err.Error()[:min(len(place), len(err.Error()))] != place {
					t.Errorf("%s: extent %d is damaged: %v", disk, i, err)
				}
			}
			flipOnDisk(t, base, start+i)
		}
		os.RemoveAll(dir)
		os.RemoveAll(dir + "-copy")
	}
}

// flipOnDisk changes a bit of a file.
func flipOnDisk(t *testing.T, name string, offset int64) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	_, read := f.ReadAt(b[:], offset)
	b[0] ^= 4
	_, written := f.WriteAt(b[:], offset)
	if err := errors.Join(read, written, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// The memory for a scan is never larger than what is scanned.
func TestScanMemory(t *testing.T) {
	for _, words := range []uint64{1, pageWords, extentSize/8 - 1, extentSize / 8, extentSize/8 + 1, 3*extentSize/8 + 5,
		100 * extentSize / 8} {
		b := &baseFile{baseHeader: baseHeader{geometry: geometry{bands: 1, bandWords: words}}}
		if n := uint64(b.readers()); n < 1 || n > maxReaders || n > 1 && n*extentSize > words*8 {
			t.Errorf("%d readers for %d bytes", n, words*8)
		}
	}
}
