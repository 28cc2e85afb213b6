package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback has the system begin to write to the disk what a file has got, so that there is
// little left to wait for when it is synced. It promises nothing, and does nothing to what is no
// regular file.
func startWriteback(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// to its end
	_ = conn.Control(func(fd uintptr) { _ = unix.SyncFileRange(int(fd), 0, 0, unix.SYNC_FILE_RANGE_WRITE) })
}
