package files

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// An Interruptible is a file whose Read and Write end when a context is done, even if nothing
// comes, or nobody reads what is written. It is for questions that wait for their answers. A
// goroutine for each Read, as in a stoppable, would take longer than the answer.
type Interruptible struct {
	*os.File
	ctx context.Context
	// descriptors of the file, and of a pipe that is readable once ctx is done or Close is called
	fd, wakeFD int32
	wake       *os.File
	end        func() error
}

// InterruptWith returns f as an Interruptible whose Read and Write end when ctx is done.
func InterruptWith(ctx context.Context, f *os.File) (*Interruptible, error) {
	wake, wakeUp, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { wakeUp.Close() })
	return &Interruptible{f, ctx, int32(f.Fd()), int32(wake.Fd()), wake, wakeUp.Close}, nil
}

// Read waits for data and reads it. First it yields to goroutines that have been handed work, since
// a blocked read keeps its core from them until the runtime notices. It yields twice, since on
// every 61st turn the scheduler picks the yielding goroutine before the others.
func (i *Interruptible) Read(p []byte) (int, error) {
	runtime.Gosched()
	runtime.Gosched()
	if err := i.wait(unix.POLLIN); err != nil {
		return 0, err
	}
	return i.File.Read(p)
}

// atomicBytes is the number of bytes that always fit into a pipe that is ready for writing
// (PIPE_BUF).
const atomicBytes = 4096

// Write waits until writing cannot block. A goroutine does a write larger than atomicBytes, and is
// abandoned if ctx is done first. p must not change after that.
func (i *Interruptible) Write(p []byte) (int, error) {
	if err := i.wait(unix.POLLOUT); err != nil {
		return 0, err
	}
	if len(p) <= atomicBytes {
		return i.File.Write(p)
	}
	return Await(i.ctx, func() (int, error) { return i.File.Write(p) })
}

// wait waits until the file is ready or has an error.
func (i *Interruptible) wait(events int16) error {
	fds := []unix.PollFd{{Fd: i.fd, Events: events}, {Fd: i.wakeFD, Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		switch {
		case fds[1].Revents != 0:
			return cmp.Or(context.Cause(i.ctx), os.ErrClosed)
		case fds[0].Revents != 0:
			return nil
		}
	}
}

// Close ends a waiting Read or Write. It does not close the file itself.
func (i *Interruptible) Close() error { return i.end() }
