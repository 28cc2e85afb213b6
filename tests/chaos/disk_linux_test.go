package chaos

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk is a small one that can be filled: a tmpfs in a mount namespace of its own, which needs no
// rights. The process that holds the namespace shows it to us.
type disk struct {
	dir     string
	bounded bool
}

// newDisk mounts a disk that lives as long as the test. Where that is not allowed it is a
// directory, which is never full; where CI is set, that is a failure.
func newDisk(t *testing.T) *disk {
	t.Helper()
	mount := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
		`mount -t tmpfs -o size=64m none "$0" && echo mounted && exec cat`, t.TempDir())
	mount.Stderr = os.Stderr
	in, err := mount.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := mount.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mount.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // which ends cat, and the namespace with it
		mount.Wait()
	})
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v: no disk could be mounted", mount)
		}
		t.Logf("%v: no disk could be mounted, so none is full", mount)
		return &disk{t.TempDir(), false}
	}
	return &disk{filepath.Join("/proc", fmt.Sprint(mount.Process.Pid), "root", mount.Args[len(mount.Args)-1]), true}
}

// fill leaves that many KiB free, until the function is called that it returns.
func (d *disk) fill(t *testing.T, free int) (undo func()) {
	t.Helper()
	if !d.bounded {
		return func() {}
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(d.dir, &fs); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(d.dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if size := int64(fs.Bavail)*fs.Bsize - int64(free)<<10; size > 0 {
		if _, err := io.CopyN(f, zeros{}, size); err != nil {
			t.Fatal(err)
		}
	}
	return func() { os.Remove(ballast) }
}

// zeros are read without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
