package command

import (
	"io"
	"os"
	"syscall"
	"time"

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

// A pacedPipe lets a fast writer write some more before it is read again. A read that came at once would return the little that was written
// since the last one, and wake up a worker and the committer for it, and these would take the core from the writer. A pipe that has given nothing for a
// while is read at once.
type pacedPipe struct {
	*os.File
	conn syscall.RawConn
	last time.Time // when a read has returned
}

const (
	paceGap   = time.Millisecond       // a writer that lets more time pass is a slow one
	pacePause = 500 * time.Microsecond // what a fast one is given
)

// paced returns the file as it is to be read.
func paced(f *os.File) io.ReadCloser {
	conn, err := f.SyscallConn()
	if err != nil || !isPipe(conn) {
		return f
	}
	return &pacedPipe{File: f, conn: conn}
}

func isPipe(conn syscall.RawConn) (yes bool) {
	_ = conn.Control(func(fd uintptr) {
		_, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
		yes = err == nil
	})
	return yes
}

// Read returns what can be had within a pause.
func (p *pacedPipe) Read(buf []byte) (n int, err error) {
	n, err = p.File.Read(buf)
	if err == nil && n < len(buf)/2 && time.Since(p.last) < paceGap {
		time.Sleep(pacePause)
		if p.waiting() > 0 {
			var more int
			more, err = p.File.Read(buf[n:])
			n += more
		}
	}
	p.last = time.Now()
	return n, err
}

// waiting returns how many bytes a read would return at once.
func (p *pacedPipe) waiting() (n int) {
	_ = p.conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return n
}
