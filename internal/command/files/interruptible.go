package files

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// An Interruptible file is one whose Read and Write end when a context is done, though nothing may
// come, or nobody may read what is written. It serves questions that wait for their answers: a
// goroutine for each Read, as a stoppable has, would take longer than the answer.
type Interruptible struct {
	*os.File
	ctx context.Context
	// of the file, and of one that can be read when ctx is done or the file is closed
	fd, wakeFD int32
	wake       *os.File
	end        func() error
}

// InterruptWith returns f, whose Read and Write end with ctx.
func InterruptWith(ctx context.Context, f *os.File) (*Interruptible, error) {
	wake, wakeUp, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { wakeUp.Close() })
	return &Interruptible{f, ctx, int32(f.Fd()), int32(wake.Fd()), wake, wakeUp.Close}, nil
}

// Read reads when something has come. Before it may have to wait, it lets the goroutines go on to
// which something was handed over: a read that waits keeps its core from them until the runtime
// notices. It does so twice, since the scheduler takes the one who yields before the others in
// every 61st turn.
func (i *Interruptible) Read(p []byte) (int, error) {
	runtime.Gosched()
	runtime.Gosched()
	if err := i.wait(unix.POLLIN); err != nil {
		return 0, err
	}
	return i.File.Read(p)
}

// atomicBytes always fit into a pipe that is ready for writing (PIPE_BUF).
const atomicBytes = 4096

// Write waits until writing cannot block. A write larger than atomicBytes is done by a goroutine,
// which is abandoned if ctx is done first: then p must not change.
func (i *Interruptible) Write(p []byte) (int, error) {
	if err := i.wait(unix.POLLOUT); err != nil {
		return 0, err
	}
	if len(p) <= atomicBytes {
		return i.File.Write(p)
	}
	return Await(i.ctx, func() (int, error) { return i.File.Write(p) })
}

// wait waits until the file is ready, or has an error to tell.
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

// Close ends a Read or a Write that waits. It leaves the file itself open.
func (i *Interruptible) Close() error { return i.end() }
