package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is what an unprivileged user may ask for, by the kernel's default.
const pipeSize = 1 << 20

// widen makes a pipe larger. A pipe holds 64 KiB at first, so that a fast writer and we wake each other up for every few
// records; with room for more, one read takes what many writes have brought. What is not a pipe, or may not be widened, stays as it is.
func widen(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// Control, unlike Fd, leaves the file in the mode that it is in.
	_ = conn.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < pipeSize {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
		}
	})
}
