package judge

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/stream"
)

// What clients may take.
const (
	mostClients = 128
	mostInReply = 16 << 20 // bytes; verdicts about mostInBlock texts
	mostApart   = 1 << 20  // bytes of a request; larger ones are received one at a time
	perSecond   = 1 << 20  // bytes that a client must at least send or take, beside its patience
)

// The times that clients are given.
const (
	usualPatience = time.Minute      // for a request or a reply to pass
	lastPatience  = 10 * time.Second // for a reply, once the command is to end
	lingering     = time.Second      // for the reason why a client is cut off to be read
	untilRetry    = 100 * time.Millisecond
)

// A hub answers several clients out of one memory. Each is served by a goroutine, which receives a
// request as a whole, queues it, waits for the reply, and sends that: a client that is slow or dies
// keeps nobody else waiting, and a request that does not come to its end is not judged at all. The
// run takes requests from the queue, in the order in which they are there.
type hub struct {
	responder *responder
	listener  net.Listener
	log       io.Writer
	patience  time.Duration

	queue    chan *question
	large    chan struct{} // is full while a large request is received and answered
	ended    chan struct{} // is closed when nobody answers any more
	requests atomic.Uint64 // that were answered
	serving  sync.WaitGroup
	guests   guests
}

// guests are the clients that are connected.
type guests struct {
	mu      sync.Mutex
	all     map[*client]struct{}
	met     uint64 // so far
	closing bool   // they must not send more
}

// listen answers clients until ctx is done. Then it answers the requests that have come, commits,
// and removes the socket.
func listen(ctx context.Context, a *responder, at address, std files.Streams) error {
	l, closeListener, err := at.listen()
	if err != nil {
		return err
	}
	shown.Notice(std.Err, "listening on %s", l.Addr())
	if !isPrivate(l) {
		shown.Notice(std.Err, "other machines can connect, without a password: let a firewall say which")
	}
	h := newHub(a, l, std.Err, usualPatience)
	stop := context.AfterFunc(ctx, func() { h.close(); closeListener() })
	defer stop()
	err = errors.Join(h.serve(ctx), closeListener())
	if err == nil && a.canCommit() == nil {
		err = a.save()
	}
	if err == nil {
		shown.Notice(std.Err, "stopped: %d requests of %d clients were answered", h.requests.Load(), h.guests.met)
	}
	return err
}

func newHub(a *responder, l net.Listener, log io.Writer, patience time.Duration) *hub {
	a.hub = &hub{
		responder: a, listener: l, log: log, patience: patience, queue: make(chan *question),
		large: make(chan struct{}, 1), ended: make(chan struct{}), guests: guests{all: make(map[*client]struct{})},
	}
	return a.hub
}

// serve answers clients until the listener is closed.
func (h *hub) serve(ctx context.Context) error {
	accepted := make(chan error, 1)
	go func() { accepted <- h.accept() }()
	err := h.responder.run(context.WithoutCancel(ctx), &shared{queue: h.queue})
	close(h.ended)
	h.close()
	_ = h.listener.Close() // it is open if the run has failed
	return errors.Join(err, <-accepted)
}

// accept serves clients until the listener is closed, and the last of them is served. Then it ends
// the run.
func (h *hub) accept() error {
	defer close(h.queue)
	defer h.serving.Wait()
	for {
		conn, err := h.listener.Accept()
		switch {
		case err == nil:
			h.meet(conn)
		case errors.Is(err, net.ErrClosed):
			return nil
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ECONNABORTED):
			select { // a file may be closed meanwhile
			case <-h.ended:
			case <-time.After(untilRetry):
			}
		default:
			h.close()
			return err
		}
	}
}

// meet serves a client, if there is room for one.
func (h *hub) meet(conn net.Conn) {
	h.guests.mu.Lock()
	defer h.guests.mu.Unlock()
	h.guests.met++
	c := &client{hub: h, conn: conn, number: h.guests.met, exchange: exchange{done: make(chan error, 1)}}
	switch {
	case h.guests.closing:
		conn.Close()
	case len(h.guests.all) == mostClients:
		h.serving.Go(func() {
			defer conn.Close()
			c.refuse(refuse("%d clients are connected, which is the most", mostClients))
		})
	default:
		h.guests.all[c] = struct{}{}
		h.serving.Go(c.serve)
	}
}

// close has no client send more. Requests that have come are answered.
func (h *hub) close() {
	h.guests.mu.Lock()
	defer h.guests.mu.Unlock()
	h.guests.closing = true
	for c := range h.guests.all {
		_ = c.conn.SetReadDeadline(time.Unix(1, 0))
		_ = c.conn.SetWriteDeadline(time.Now().Add(min(h.patience, lastPatience)))
	}
}

// remove forgets a client.
func (g *guests) remove(c *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.all, c)
}

// count is how many clients there are.
func (g *guests) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.all)
}

// areLeaving reports whether they must not send more.
func (g *guests) areLeaving() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closing
}

// shared is the source of records of a run for clients: their requests.
type shared struct {
	parts
	queue <-chan *question
	asked *question // parts are of it
}

// ReadRecords hands over some texts of a request, or a question as a mark.
func (s *shared) ReadRecords(ctx context.Context, to *stream.Records) error {
	if s.at == nil {
		select {
		case q, ok := <-s.queue:
			switch {
			case !ok:
				return io.EOF
			case !q.isJudged() || isFew(q.lengths):
				to.Tag, to.Held = q, len(q.text)
				return nil
			}
			s.asked, s.at, s.begun = q, q.request, 0
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return s.parts.read(to, func(dst []byte, i int) ([]byte, record.Problem, error) {
		return append(dst, s.asked.textAt(i)...), s.asked.sketches.Problems[i], nil
	})
}
