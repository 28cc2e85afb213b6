package files

import (
	"context"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// A stoppable is a reader that ends when its context is done, even if it reads from a terminal or a
// pipe that has nothing to give. It is not for the stream of records, which is stopped in another
// way. Bytes that are being read at that moment are lost.
type stoppable struct {
	io.ReadCloser
	ctx  context.Context
	buf  []byte
	read chan int
	err  error
}

func StopWith(ctx context.Context, r io.ReadCloser) io.ReadCloser {
	return &stoppable{ReadCloser: r, ctx: ctx, buf: make([]byte, 64<<10), read: make(chan int, 1)}
}

// OpenStoppable opens a file that does not contain records. If that is standard input, reading it
// ends when ctx is done.
func OpenStoppable(ctx context.Context, path string, std Streams) (io.ReadCloser, error) {
	if path != "-" {
		return std.openUnpacked(path)
	}
	return compress.NewReader(StopWith(ctx, paced(std.Reader(), std.In, std.Cores)), "", std.MaxWindow)
}

func (s *stoppable) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	buf := s.buf[:min(len(s.buf), len(p))]
	go func() {
		n, err := s.ReadCloser.Read(buf)
		s.err = err
		s.read <- n
	}()
	select {
	case n := <-s.read:
		return copy(p, buf[:n]), s.err
	case <-s.ctx.Done():
		return 0, context.Cause(s.ctx)
	}
}

// Await calls do, which may never return, and abandons it if ctx is done first.
func Await[T any](ctx context.Context, do func() (T, error)) (value T, err error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
}
