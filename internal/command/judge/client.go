package judge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// judgeRefused is the kind of a reply with an error message. It is the last one of a connection.
const judgeRefused = 0

// A client is a connected program, served by a goroutine of its own.
type client struct {
	hub    *hub
	conn   net.Conn
	number uint64 // from 1
	requestReader
	exchange exchange
	held     int  // bytes of the request that is being received
	isLarge  bool // it is this client's turn to send a large request
}

// An exchange carries the reply to a request of a client. The hub writes reply, sends on done, and
// does not touch it afterwards.
type exchange struct {
	reply bytes.Buffer
	done  chan error // receives nil once reply is complete, or why it failed; buffered
}

// to returns where the reply goes: to the client, if there is one, or else to one, the only
// program.
func (q *request) to(one io.Writer) io.Writer {
	if q.exchange != nil {
		return &q.exchange.reply
	}
	return one
}

// answered tells the client's goroutine that the reply is complete, or why it failed.
func (q *request) answered(err error) {
	if q.exchange != nil {
		q.exchange.done <- err
	}
}

// serve answers a client until it sends no more requests.
func (c *client) serve() {
	defer c.conn.Close() // last, so that a client whose connection is closed is no longer counted
	defer c.hub.guests.remove(c)
	c.requestReader = newReader(c.hub.responder.c, c.conn, 16<<10)
	c.isWhole, c.reserve = true, c.willHold
	sketcher := newSketching(c.hub.responder.from.New())
	for {
		c.allow(c.conn.SetReadDeadline, time.Time{})
		if _, err := c.src.Peek(1); err != nil {
			return // the client has gone, or the command ends
		}
		err := c.serveRequest(sketcher)
		if c.isLarge {
			c.isLarge = false
			<-c.hub.large
		}
		if err != nil {
			c.refuse(err)
			return
		}
	}
}

// serveRequest receives a whole request, waits until it is answered, and sends the reply.
func (c *client) serveRequest(sketcher *sketching) error {
	c.held = 0
	c.willHold(requestSize)
	request, err := c.next()
	if err != nil {
		return err
	}
	q, err := c.readTexts(request, c.hub.responder.spare)
	if err != nil {
		return err
	}
	if !q.isJudged() || isFew(q.lengths) {
		sketcher.sketch(q)
	}
	q.exchange = &c.exchange
	select {
	case c.hub.queue <- q:
	case <-c.hub.ended:
		return errHasEnded
	}
	select {
	case err = <-c.exchange.done:
	case <-c.hub.ended:
		return errHasEnded
	}
	if err != nil {
		return fmt.Errorf("request %d, of kind %d: %w", c.requestReader.number, c.kind, err)
	}
	return c.send()
}

var errHasEnded = errors.New("the command has failed: what was not committed is lost")

// send sends the reply.
func (c *client) send() error {
	reply := &c.exchange.reply
	defer func() {
		if reply.Reset(); reply.Cap() > mostApart {
			*reply = bytes.Buffer{}
		}
	}()
	c.hub.requests.Add(1) // before the reply, so that a client that has it finds it counted
	c.allow(c.conn.SetWriteDeadline, c.timeFor(reply.Len()))
	if _, err := c.conn.Write(reply.Bytes()); err != nil {
		return untaken{fmt.Errorf("it did not receive the reply to request %d, which has been answered: %w",
			c.requestReader.number, err)}
	}
	return nil
}

// untaken says why a client has not taken a whole reply.
type untaken struct{ error }

// Unwrap returns the reason.
func (u untaken) Unwrap() error { return u.error }

// willHold announces more bytes of a request. It waits for the client's turn if the request has
// become large, and sets the deadline for receiving it.
func (c *client) willHold(size int) {
	c.held += size
	if c.held > mostApart && !c.isLarge {
		select {
		case c.hub.large <- struct{}{}:
			c.isLarge = true
		case <-c.hub.ended:
		}
	}
	c.allow(c.conn.SetReadDeadline, c.timeFor(c.held))
}

// timeFor returns the deadline for receiving or sending that many bytes.
func (c *client) timeFor(size int) time.Time {
	return time.Now().Add(c.hub.patience + time.Duration(size)*time.Second/perSecond)
}

// allow sets a deadline, unless the hub has already set the last ones.
func (c *client) allow(set func(time.Time) error, until time.Time) {
	c.hub.guests.mu.Lock()
	defer c.hub.guests.mu.Unlock()
	if !c.hub.guests.closing {
		_ = set(until)
	}
}

// refuse tells a client why it is disconnected. A client that has not taken its whole reply is told
// nothing, since it would read the message as the rest of the reply.
func (c *client) refuse(why error) {
	isUntaken := errors.As(why, new(untaken))
	switch {
	case !errors.Is(why, os.ErrDeadlineExceeded):
	case !c.hub.guests.areLeaving():
		why = fmt.Errorf("%w: the command waits at most %s, and a second more for each MiB", why, c.hub.patience)
	case !isUntaken:
		why = errors.New("the command is ending: the last request was not judged")
	}
	shown.Notice(c.hub.log, "client %d: %v", c.number, why)
	if isUntaken {
		return
	}
	text := why.Error()
	_ = c.conn.SetWriteDeadline(time.Now().Add(lingering))
	if _, err := c.conn.Write(append(headOf(judgeRefused, 0, uint32(len(text))), text...)); err != nil {
		return
	}
	// Closing a connection with unread input may reset it, and the reason would be lost.
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = c.conn.SetReadDeadline(time.Now().Add(lingering))
		_, _ = io.Copy(io.Discard, io.LimitReader(c.conn, mostApart))
	}
}
