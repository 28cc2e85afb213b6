package bloomlsh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/index"
)

// testDisks returns directories on different kinds of file systems. Files in /dev/shm exist only in
// the page cache.
func testDisks(t *testing.T) map[string]string {
	disks := map[string]string{"disk": t.TempDir()}
	if dir, err := os.MkdirTemp("/dev/shm", "bloomlsh-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		disks["memory"] = dir
	}
	return disks
}

// evict drops a file from the page cache, if possible.
func evict(t *testing.T, name string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)); err != nil {
		t.Fatal(err)
	}
}

// As in sealed files (docs/design/format.md).
const extentSize, maxReaders = 1 << 20, 8

func extents(size int64) int64 { return (size + extentSize - 1) / extentSize }

// TestOpenPastThePageCache checks that direct reads of an index of many extents find it unchanged
// and detect damage. The filters are classic, since those end within a sector.
func TestOpenPastThePageCache(t *testing.T) {
	p := Params{Bands: 5, Capacity: 600_000, FPRate: 1e-6, Filter: FilterClassic, Remember: RememberAll,
		OnFull: OnFullGrow}
	for disk, dir := range testDisks(t) {
		env := testEnvironment(1 << 30)
		env.files.DirectFrom = 0
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
		if err := errors.Join(s.Commit(Position{}), s.Close(), compact(env, dir, index.Undo{})); err != nil {
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
		if err := verify(env, dir); err != nil {
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
			start := index.SealedHeader + i*extentSize
			flipOnDisk(t, base, start+i)
			evict(t, base)
			place := fmt.Sprintf("%s:%d: ", base, start)
			verified := verify(env, dir)
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
