package bloomlsh

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData flushes a file's contents, and its length, but no times: that spares a write of the file's metadata.
func syncData(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return os.NewSyscallError("fdatasync "+f.Name(), err)
		}
	}
}
