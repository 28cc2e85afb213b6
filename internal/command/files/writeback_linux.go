package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback makes the system start writing a file to disk, so that a later sync has little to
// wait for. It guarantees nothing, and does nothing for a pipe or a terminal.
func startWriteback(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// to the end of the file, since nbytes is 0
	_ = conn.Control(func(fd uintptr) { _ = unix.SyncFileRange(int(fd), 0, 0, unix.SYNC_FILE_RANGE_WRITE) })
}
