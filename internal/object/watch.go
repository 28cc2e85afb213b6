package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// How long a connection may do nothing. What was cut off without a word, by a firewall or a machine
// that has gone, would else be waited for for ever.
const (
	answerTimeout = time.Minute      // for what is sent, and until the answer begins
	idleTimeout   = 30 * time.Second // for each byte of the answer
)

// A watch ends requests whose connections have stalled. Time counts only while we wait for the
// server: an answer may be as long, and be read as slowly, as it likes.
type watch struct {
	http.RoundTripper
	answer, idle time.Duration
}

// errStalled is why a request was ended.
type errStalled struct{ what string }

func (e errStalled) Error() string { return e.what }

// RoundTrip sends a request. Each read of its body shows that what was read before is on its way.
func (w watch) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	var answered atomic.Bool // also if something is still being sent, which nobody needs then
	alarm := time.AfterFunc(w.answer, func() {
		if !answered.Load() {
			cancel(errStalled{fmt.Sprintf("the server has neither taken nor sent a byte for %v", w.answer)})
		}
	})
	r = r.WithContext(ctx)
	if r.Header.Get("Referer") != "" { // of a redirect: a query may be a signature, which is for one server
		r.Header = r.Header.Clone()
		r.Header.Del("Referer")
	}
	sent := func(body io.ReadCloser) io.ReadCloser { return &sentBody{body, alarm, w.answer} }
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = sent(r.Body)
	}
	if again := r.GetBody; again != nil && r.Body != http.NoBody {
		r.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			return sent(body), err
		}
	}
	answer, err := w.RoundTripper.RoundTrip(r)
	answered.Store(true)
	alarm.Stop()
	if err != nil {
		cancel(nil)
		return answer, stalled(ctx, err)
	}
	answer.Body = &watchedBody{ReadCloser: answer.Body, ctx: ctx, cancel: cancel, idle: w.idle}
	return answer, nil
}

// stalled is why a request has failed: an error of its own if it was ended for that.
func stalled(ctx context.Context, err error) error {
	if why := (errStalled{}); errors.As(context.Cause(ctx), &why) {
		return why
	}
	return err
}

// A sentBody is what is sent with a request.
type sentBody struct {
	io.ReadCloser
	alarm *time.Timer
	limit time.Duration
}

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.alarm.Reset(b.limit)
	return n, err
}

// A watchedBody is what comes with an answer.
type watchedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	alarm  *time.Timer
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.alarm == nil {
		b.alarm = time.AfterFunc(b.idle, func() {
			b.cancel(errStalled{fmt.Sprintf("no byte has come for %v", b.idle)})
		})
	} else {
		b.alarm.Reset(b.idle)
	}
	n, err := b.ReadCloser.Read(p)
	b.alarm.Stop()
	if err != nil && err != io.EOF {
		err = stalled(b.ctx, err)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
