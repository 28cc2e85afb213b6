package files

import (
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipeSize is the largest size that the kernel allows an unprivileged user by default.
const pipeSize = 1 << 20

// widen enlarges a pipe. A pipe initially has space for 64 KiB, so a fast writer and this program
// would wake each other up for every few records. With more space, a single read returns the data
// of many writes. Anything but a pipe, or a pipe that may not be enlarged, is left unchanged.
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

// A pacedPipe leaves the writer of a pipe the core that it runs on. Parallel work of this program
// wakes up threads that would take that core from the writer, for which the program would then have
// to wait. So as long as the writer is slower, the program uses only one core, and lets the writer
// write some more before the next read. When the writer has to wait, the program uses all cores. A
// pipe from which nothing has come for a while is read at once.
type pacedPipe struct {
	io.ReadCloser
	conn  syscall.RawConn
	last  time.Time // time of the last read that returned all there was
	size  int       // the most that the pipe has held
	cores *Cores
}

const (
	paceGap   = time.Millisecond       // a writer that takes longer is slow
	pacePause = 500 * time.Microsecond // given to a fast writer
)

// paced returns r, which reads f, as a pacedPipe if f is a pipe.
func paced(r io.ReadCloser, f *os.File, cores *Cores) io.ReadCloser {
	conn, err := f.SyscallConn()
	if err != nil {
		return r
	}
	size := pipeCapacity(conn)
	if size == 0 {
		return r
	}
	// The amount of data in a full pipe depends on how it was written: possibly little more than
	// half of each page is in use.
	return &pacedPipe{ReadCloser: r, conn: conn, size: size / 2, cores: cores}
}

// pipeCapacity returns the capacity of a pipe in bytes, or 0 if it is not a pipe.
func pipeCapacity(conn syscall.RawConn) (size int) {
	_ = conn.Control(func(fd uintptr) {
		if n, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil {
			size = n
		}
	})
	return size
}

// Read returns what is available, and what a fast writer adds within a pause.
func (p *pacedPipe) Read(buf []byte) (n int, err error) {
	if p.waiting() == 0 {
		// A blocked read keeps its core from other goroutines until the runtime notices, up to 10ms
		// later, so let them run first. Yield twice, since on every 61st turn the scheduler picks
		// the yielding goroutine before the others.
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
	if n < len(buf) { // otherwise there may be more, and the writer's speed stays unknown
		p.last = time.Now()
	}
	return n, err
}

// yield decides how many cores to use after a read that left this many bytes in the pipe. The two
// limits are far apart, since changing the number stops all goroutines for some microseconds.
func (p *pacedPipe) yield(left int, over bool) {
	p.size = max(p.size, left)
	switch {
	case over || left >= p.size/4*3:
		p.cores.Leave(false)
	case left < p.size/4:
		p.cores.Leave(true)
	}
}

// waiting returns the number of bytes that can be read without waiting.
func (p *pacedPipe) waiting() (n int) {
	_ = p.conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return n
}
