package files

import (
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipeSize is what an unprivileged user may ask for, by the kernel's default.
const pipeSize = 1 << 20

// widen makes a pipe larger. A pipe holds 64 KiB at first, so that a fast writer and we wake each
// other up for every few records; with room for more, one read takes what many writes have brought.
// What is not a pipe, or may not be widened, stays as it is.
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

// A pacedPipe leaves its writer the core that it works on. What we do in parallel wakes up threads
// that would take it from the writer, and then it is us who wait. So as long as the writer is the
// slower one we take one core only, and let it write some more before we read again; when it waits
// for us, all cores are ours. A pipe that has given nothing for a while is read at once.
type pacedPipe struct {
	io.ReadCloser
	conn  syscall.RawConn
	last  time.Time // when a read has returned what there was
	size  int       // the most that the pipe has held
	cores *Cores
}

const (
	paceGap   = time.Millisecond       // a writer that lets more time pass is a slow one
	pacePause = 500 * time.Microsecond // what a fast one is given
)

// paced returns r, which reads f, as it is to be read.
func paced(r io.ReadCloser, f *os.File, cores *Cores) io.ReadCloser {
	conn, err := f.SyscallConn()
	if err != nil {
		return r
	}
	size := pipeCapacity(conn)
	if size == 0 {
		return r
	}
	// How much a full pipe holds depends on how it is written: of each page, little more than half
	// may be in use.
	return &pacedPipe{ReadCloser: r, conn: conn, size: size / 2, cores: cores}
}

// pipeCapacity returns how many bytes a pipe can hold at most, and 0 for what is no pipe.
func pipeCapacity(conn syscall.RawConn) (size int) {
	_ = conn.Control(func(fd uintptr) {
		if n, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil {
			size = n
		}
	})
	return size
}

// Read returns what can be had within a pause.
func (p *pacedPipe) Read(buf []byte) (n int, err error) {
	if p.waiting() == 0 {
		// A read that waits keeps its core from the others until the runtime notices, up to 10 ms
		// later: let them go first. Twice, since the scheduler takes the one who yields before the
		// others in every 61st turn.
		runtime.Gosched()
		runtime.Gosched()
	}
	n, err = p.ReadCloser.Read(buf)
	if err == nil && n < len(buf)/2 && time.Since(p.last) < paceGap {
		time.Sleep(pacePause)
		if p.waiting() > 0 {
			var more int
			more, err = p.ReadCloser.Read(buf[n:])
			n += more
		}
	}
	p.yield(p.waiting(), err != nil)
	if n < len(buf) { // else there may be more, and how fast the writer is stays unknown
		p.last = time.Now()
	}
	return n, err
}

// yield decides how many cores are ours after a read that has left this many bytes in the pipe. The
// two limits are far apart, since to change that number stops all goroutines for some microseconds.
func (p *pacedPipe) yield(left int, over bool) {
	p.size = max(p.size, left)
	switch {
	case over || left >= p.size/4*3:
		p.cores.Leave(false)
	case left < p.size/4:
		p.cores.Leave(true)
	}
}

// waiting returns how many bytes a read would return at once.
func (p *pacedPipe) waiting() (n int) {
	_ = p.conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return n
}
