package files

import (
	"context"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// A stoppable reader ends when its context is done, though what it reads may have nothing to give
// and not end: a terminal, or a pipe. It is for what is read beside the stream of records, which
// has its own way. What is read at that moment is lost.
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

// OpenStoppable opens a file that is not of records, or standard input so that reading it ends with
// ctx.
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

// Await does something that may not come to its end, and leaves it alone if ctx is done first.
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
