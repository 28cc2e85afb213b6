package chaos

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A watch tells of files that are made, renamed and removed in a directory, and in those that are
// made in it.
type watch struct {
	fd, stop int // of inotify, and an event that ends a wait
	dir      string
}

const watched = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_DELETE

func newWatch(dir string) (*watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	w := &watch{fd, stop, dir}
	return w, w.add(dir)
}

// add watches a directory and those in it.
func (w *watch) add(dir string) error {
	if _, err := unix.InotifyAddWatch(w.fd, dir, watched); err != nil {
		return err
	}
	for _, sub := range subdirectories(dir) {
		if err := w.add(sub); err != nil {
			return err
		}
	}
	return nil
}

// changes waits for that many changes, or for the end. It reports whether they came.
func (w *watch) changes(count int, ended <-chan struct{}) bool {
	buf := make([]byte, 64<<10)
	for {
		fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}, {Fd: int32(w.stop), Events: unix.POLLIN}}
		unix.Poll(fds, -1)
		select {
		case <-ended:
			return false
		default:
		}
		n, _ := unix.Read(w.fd, buf)
		for at := 0; at+unix.SizeofInotifyEvent <= n; count-- {
			if count == 1 {
				return true
			}
			// the length of the name is the last field of an event's head
			size := int(buf[at+12]) | int(buf[at+13])<<8 | int(buf[at+14])<<16
			at += unix.SizeofInotifyEvent + size
		}
		for _, sub := range subdirectories(w.dir) {
			unix.InotifyAddWatch(w.fd, sub, watched) // it may be gone again
		}
	}
}

func (w *watch) wake() { unix.Write(w.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

func (w *watch) close() {
	unix.Close(w.fd)
	unix.Close(w.stop)
}

// subdirectories of a directory, if it can be read.
func subdirectories(dir string) (list []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}
