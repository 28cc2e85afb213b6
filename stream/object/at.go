package object

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/stream/object/store"
)

// At is an object of which any bytes can be had, without those before them. It holds nothing that
// had to be closed, and is safe for concurrent use.
type At struct {
	client *Client
	of     source
	as     store.Version
}

var errInOnePiece = errors.New("its server sends it in one piece")

// At returns the bytes of an object as it is now. It is an error if its server does not say that it
// sends parts. Errors, here and of ReadAt, do not name the object.
func (c *Client) At(path string) (At, error) {
	of, err := c.source(path)
	if err != nil {
		return At{}, err
	}
	v, err := c.stat(of)
	if err == nil && (v.Size < 0 || !v.Ranges) {
		err = errInOnePiece
	}
	if err != nil {
		return At{}, c.caused(err)
	}
	return At{c, of, v}, nil
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
	if err := a.client.fill(a.client.ctx, a.of, a.as, p[:n], off); err != nil {
		return 0, a.client.caused(err)
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}
