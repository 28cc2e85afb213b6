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

// Limits for clients.
const (
	mostClients   = 128
	mostForClient = 16 << 20 // bytes of a reply; as many as verdicts on mostInBlock texts have
	mostApart     = 1 << 20  // bytes of a request; larger ones are received one at a time
	perSecond     = 1 << 20  // bytes that give a client another second, beyond the patience that it gets anyway
)

// Timeouts for clients, and the wait before accepting again.
const (
	usualPatience = time.Minute      // for a request to arrive, or a reply to be taken
	lastPatience  = 10 * time.Second // for a reply to be taken, once the command ends
	lingering     = time.Second      // for a client to read why it is disconnected
	untilRetry    = 100 * time.Millisecond
)

// A hub answers several clients from one memory. Each is served by a goroutine that receives a
// whole request, queues it, waits for the reply, and sends that. So a client that is slow or dies
// makes nobody else wait, and an incomplete request is not judged at all. The run takes requests
// from the queue in order.
type hub struct {
	responder *responder
	listener  net.Listener
	log       io.Writer
	patience  time.Duration

	queue    chan *question
	large    chan struct{} // is full while a large request is being received and answered
	ended    chan struct{} // is closed once no more requests are answered
	requests atomic.Uint64 // that were answered
	serving  sync.WaitGroup
	guests   guests
}

// guests keeps track of the connected clients.
type guests struct {
	mu      sync.Mutex
	all     map[*client]struct{}
	met     uint64 // clients so far
	closing bool   // clients must not send any more
}

// listen answers clients until ctx is done. Then it removes the socket, answers the requests that
// have arrived, and commits.
func listen(ctx context.Context, a *responder, at address, std files.Streams) error {
	l, closeListener, err := at.listen()
	if err != nil {
		return err
	}
	shown.Notice(std.Err, "listening on %s", l.Addr())
	if !isPrivate(l) {
		shown.Notice(std.Err, "other machines can connect without a password: choose which ones with a firewall")
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
	_ = h.listener.Close() // it is still open if the run has failed
	return errors.Join(err, <-accepted)
}

// accept accepts clients until the listener is closed. Once the last one is served, it ends the
// run.
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

// meet serves a new client if there is room for it.
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
			c.refuse(refuse("%d clients are connected, which is the limit", mostClients))
		})
	default:
		h.guests.all[c] = struct{}{}
		h.serving.Go(c.serve)
	}
}

// close stops clients from sending more. Requests that have arrived are still answered.
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

// count returns the number of clients.
func (g *guests) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.all)
}

// areLeaving reports whether clients must not send any more.
func (g *guests) areLeaving() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closing
}

// shared is the source of records of a run for clients. It takes their requests from the queue.
type shared struct {
	parts
	queue <-chan *question
	asked *question // the question that parts reads
}

// ReadRecords returns some texts of a request, or a question as a mark.
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
