package files

import (
	"cmp"
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// An Interruptible file is one whose Read ends when a context is done, though nothing may come. It
// serves questions that wait for their answers: a goroutine for each Read, as that of a stoppable,
// would take longer than the answer.
type Interruptible struct {
	*os.File
	ctx  context.Context
	wake *os.File // can be read when ctx is done, or the file is closed
	end  func() error
}

func InterruptWith(ctx context.Context, f *os.File) (*Interruptible, error) {
	wake, wakeUp, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { wakeUp.Close() })
	return &Interruptible{f, ctx, wake, wakeUp.Close}, nil
}

func (i *Interruptible) Read(p []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(i.Fd()), Events: unix.POLLIN}, {Fd: int32(i.wake.Fd()), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return 0, err
		}
		switch {
		case fds[1].Revents != 0:
			return 0, cmp.Or(context.Cause(i.ctx), os.ErrClosed)
		case fds[0].Revents != 0:
			return i.File.Read(p)
		}
	}
}

// Close ends a Read that waits. It leaves the file itself open.
func (i *Interruptible) Close() error { return i.end() }
