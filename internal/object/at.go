package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// At reads any range of an object. It holds no resources that need closing, and is safe for
// concurrent use.
type At struct {
	client      *Client
	of          source
	as          store.Version
	first, last []byte // cached bytes at both ends
}

// ErrInOnePiece is returned if the server of an object does not support ranges.
var ErrInOnePiece = errors.New("its server sends it in one piece")

// At returns the object at a path in its present version. The error is ErrInOnePiece if the server
// does not announce ranges. Errors, here and of the result, do not name the object.
func (c *Client) At(path string) (At, error) {
	of, err := c.source(path)
	if err != nil {
		return At{}, err
	}
	v, err := c.stat(of)
	if err == nil && (v.Size < 0 || !v.Ranges) {
		err = ErrInOnePiece
	}
	if err == nil {
		err = c.pins.check(path, v)
	}
	if err != nil {
		return At{}, c.caused(err)
	}
	return At{client: c, of: of, as: v}, nil
}

// Ends returns the object with its first and last bytes cached, which are requested in parallel:
// file formats keep most of their metadata there.
func (a At) Ends(first, last int64) (At, error) {
	first, last = min(first, a.Size()), min(last, a.Size())
	if first+last >= a.Size() {
		first, last = 0, a.Size()
	}
	a.first, a.last = nil, nil
	head, tail := make([]byte, first), make([]byte, last)
	var looks sync.WaitGroup
	var err error
	looks.Go(func() { err = a.Fetch(a.client.ctx, head, 0) })
	failed := a.Fetch(a.client.ctx, tail, a.Size()-last)
	looks.Wait()
	if failed != nil { // both requests have probably failed for the same reason
		err = failed
	}
	a.first, a.last = head, tail
	return a, err
}

// Size returns the size of the object in bytes.
func (a At) Size() int64 { return a.as.Size }

// ReadAt implements io.ReaderAt. It resumes a request that breaks off.
func (a At) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("byte %d is before the first one", off)
	}
	n = int(max(0, min(int64(len(p)), a.as.Size-off)))
	if err := a.Fetch(a.client.ctx, p[:n], off); err != nil {
		return 0, err
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Fetch fills p with the bytes starting at off, which must exist. It returns soon after ctx is
// done.
func (a At) Fetch(ctx context.Context, p []byte, off int64) error {
	end, last := off+int64(len(p)), a.as.Size-int64(len(a.last))
	switch {
	case len(p) == 0:
		return nil
	case end <= int64(len(a.first)):
		copy(p, a.first[off:])
		return nil
	case end > last:
		before := max(0, last-off)
		copy(p[before:], a.last[max(0, off-last):])
		p = p[:before]
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(a.client.ctx, func() { stop(context.Cause(a.client.ctx)) })()
	return a.client.caused(a.client.fill(ctx, a.of, a.as, p, off))
}
