package store

import (
	"os"

	"golang.org/x/sys/unix"
)

func syncData(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return os.NewSyscallError("fdatasync "+f.Name(), err)
		}
	}
}
