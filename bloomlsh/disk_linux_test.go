package bloomlsh

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFullDisk fills up a real disk. The run must stop with the system's error, and the index must
// be in the state of its last commit, even while the disk is full. The test mounts a disk, so it
// needs the privilege to do so.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("mount:", err)
	}
	t.Cleanup(func() { unix.Unmount(disk, unix.MNT_DETACH) })
	p := smallParams
	p.Capacity = 1000
	for name, commitEvery := range map[string]int{"often": 10, "rarely": 9000} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(disk, name)
			env := testEnvironment(10_000)
			s, err := openStore(env, dir, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			committed := 0
			stream, keys := &keyStream{1}, make([]Key, p.Bands)
			for record := 1; err == nil; record++ {
				stream.fill(keys)
				if _, err = observeRecord(s, keys); err == nil && record%commitEvery == 0 {
					if err = s.Commit(Position{}); err == nil {
						committed = record
					}
				}
			}
			if !errors.Is(err, unix.ENOSPC) {
				t.Fatalf("the disk is full: error %v", err)
			}
			s.Close()
			if s, err = openStore(env, dir, p, nil); err != nil {
				t.Fatal(err)
			}
			x := mustNew(t, p)
			for stream = (&keyStream{1}); committed > 0; committed-- {
				stream.fill(keys)
				if _, err := observeRecord(x, keys); err != nil {
					t.Fatal(err)
				}
			}
			if found, want := digest(s.index, Position{}), digest(x, Position{}); found != want {
				t.Errorf("found as %s, want %s", found, want)
			}
			s.Close()
			if err := Verify(dir); err != nil {
				t.Error(err)
			}
			os.RemoveAll(dir)
		})
	}
}

func TestDirectoryWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := filepath.Join(t.TempDir(), "idx")
	s, err := Open(dir, smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) }) // otherwise it could not be removed
	r, err := OpenReadOnly(dir, smallParams.Bands, nil)
	if err != nil {
		t.Errorf("a reader needs more than the right to read: %v", err)
	} else {
		r.Close()
	}
	for _, name := range []string{"LOCK", "MANIFEST", "log-1"} {
		os.Chmod(filepath.Join(dir, name), 0o400)
	}
	if _, err := Open(dir, smallParams, nil); !errors.Is(err, os.ErrPermission) ||
		!strings.Contains(err.Error(), "read-only") {
		t.Errorf("error %v, want %v and what can be done", err, os.ErrPermission)
	}
}
