package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// At is an object of which any bytes can be had, without those before them. It holds nothing that
// had to be closed, and is safe for concurrent use.
type At struct {
	client      *Client
	of          source
	as          store.Version
	first, last []byte // bytes at its ends that are at hand
}

// ErrInOnePiece says that no bytes of an object can be had without those before them.
var ErrInOnePiece = errors.New("its server sends it in one piece")

// At returns the bytes of an object as it is now. It is ErrInOnePiece if its server does not say
// that it sends parts. Errors, here and of what At returns, do not name the object.
func (c *Client) At(path string) (At, error) {
	of, err := c.source(path)
	if err != nil {
		return At{}, err
	}
	v, err := c.stat(of)
	if err == nil && (v.Size < 0 || !v.Ranges) {
		err = ErrInOnePiece
	}
	if err != nil {
		return At{}, c.caused(err)
	}
	return At{client: c, of: of, as: v}, nil
}

// Ends is the object with its first and its last bytes at hand, which are asked for at the same
// time: most of what a file says about itself stands there.
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
	if failed != nil { // of both, the same is likely wrong
		err = failed
	}
	a.first, a.last = head, tail
	return a, err
}

// Size is how many bytes the object has.
func (a At) Size() int64 { return a.as.Size }

// ReadAt reads len(p) bytes from byte off on, or those that there are, and then io.EOF. A request
// that breaks off is gone on with.
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

// Fetch is ReadAt of bytes that there are. It ends soon after ctx is done.
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
