package object

import (
	"context"
	"io"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// A reader returns the parts of an object in order, while it fetches the next ones.
type reader struct {
	client *Client
	of     source
	store.Version
	ctx    context.Context
	cancel context.CancelFunc

	queue   chan *part // in order; its capacity limits the parts in memory
	free    chan []byte
	fetches sync.WaitGroup
	wanted  chan struct{} // closed when more than the first part is wanted
	progress
}

// progress records how far the caller has read an object.
type progress struct {
	read int64  // bytes returned so far
	at   *part  // the current part
	left []byte // the unread bytes of it
	err  error
}

// A part is a range of an object.
type part struct {
	from, to int64
	bytes    []byte
	err      error
	done     chan struct{}
}

// parts starts reading an object in parts.
func (c *Client) parts(of source, v store.Version) *reader {
	r := &reader{client: c, of: of, Version: v, queue: make(chan *part, connections-2)}
	r.ctx, r.cancel = context.WithCancel(c.ctx)
	r.free, r.wanted = make(chan []byte, connections), make(chan struct{})
	r.fetches.Go(r.plan)
	return r
}

// plan starts the fetches, each when there is space for its part: one is being read, one waits to
// be queued, and the rest are in the queue. All but the first wait until half of the first part is
// read, so that just looking at the beginning does not fetch all of them.
func (r *reader) plan() {
	defer close(r.queue)
	for from := int64(0); from < r.Size; from += r.client.part {
		if from > 0 && !r.wait() {
			return
		}
		p := &part{from: from, to: min(from+r.client.part, r.Size), done: make(chan struct{})}
		r.fetches.Go(func() {
			defer close(p.done)
			p.bytes, p.err = r.fetch(p.from, p.to)
		})
		select {
		case r.queue <- p:
		case <-r.ctx.Done():
			return
		}
	}
}

// wait waits until more than the first part is wanted, and reports whether it ever is.
func (r *reader) wait() bool {
	select {
	case <-r.wanted:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// fetch reads a part.
func (r *reader) fetch(from, to int64) ([]byte, error) {
	buf := r.buffer()[:to-from]
	return buf, r.client.fill(r.ctx, r.of, r.Version, buf, from)
}

func (r *reader) buffer() []byte {
	select {
	case buf := <-r.free:
		return buf
	default:
		return make([]byte, r.client.part)
	}
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (n int, err error) {
	for len(r.left) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.next()
	}
	n = copy(p, r.left)
	r.left = r.left[n:]
	half := r.client.part / 2
	if r.read < half && r.read+int64(n) >= half {
		close(r.wanted)
	}
	r.read += int64(n)
	return n, nil
}

// next waits for the next part.
func (r *reader) next() {
	if r.at != nil {
		r.free <- r.at.bytes[:r.client.part]
		r.at = nil
	}
	p, ok := <-r.queue
	if !ok {
		if r.err = io.EOF; r.ctx.Err() != nil {
			r.err = r.client.caused(r.ctx.Err())
		}
		return
	}
	<-p.done
	if p.err != nil {
		r.err = r.client.caused(p.err)
		return
	}
	r.at, r.left = p, p.bytes
}

// Close cancels all fetches.
func (r *reader) Close() error {
	r.cancel()
	r.fetches.Wait()
	return nil
}
