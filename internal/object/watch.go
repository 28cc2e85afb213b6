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

// Limits on idle connections. A connection cut off silently, by a firewall or a machine that is
// gone, would otherwise wait forever.
const (
	answerTimeout = time.Minute      // for sending, and until the answer begins
	idleTimeout   = 30 * time.Second // for each byte of the answer
)

// watch cancels requests whose connections have stalled. Only the time spent waiting for the server
// counts: an answer may be as long, and be read as slowly, as the caller likes.
type watch struct {
	http.RoundTripper
	answer, idle time.Duration
}

// errStalled is why a request was canceled.
type errStalled struct{ what string }

func (e errStalled) Error() string { return e.what }

// RoundTrip sends a request. Each read of its body shows that earlier data is being sent.
func (w watch) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	// answered is set even while something is still being sent, which then no longer matters
	var answered atomic.Bool
	alarm := time.AfterFunc(w.answer, func() {
		if !answered.Load() {
			cancel(errStalled{fmt.Sprintf("the server has neither taken nor sent a byte for %v", w.answer)})
		}
	})
	r = r.WithContext(ctx)
	// Remove the Referer that a redirect sets: its query may contain a signature for one server
	// only.
	if r.Header.Get("Referer") != "" {
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

// stalled returns errStalled if that is why a request failed, and err otherwise.
func stalled(ctx context.Context, err error) error {
	if why := (errStalled{}); errors.As(context.Cause(ctx), &why) {
		return why
	}
	return err
}

// A sentBody is the body of a request.
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

// A watchedBody is the body of an answer.
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
