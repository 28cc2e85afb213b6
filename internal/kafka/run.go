package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// stopTimeout is the time that a stopped consumer has to commit what it has read.
const stopTimeout = 20 * time.Second

// Limits of the pause before the next session.
const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 10 * time.Second
)

// Run consumes until ctx is done, commits what it has read, and returns the cause. It retries after
// temporary errors, such as unreachable brokers, and returns permanent ones.
func Run(ctx context.Context, opts Options) error {
	// Work in progress gets some time after the program is told to stop.
	working, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(stopTimeout, func() {
			cancel(fmt.Errorf("%w: what was read last could not be committed within %s; the next start processes it "+
				"again", context.Cause(ctx), stopTimeout))
		})
		context.AfterFunc(working, func() { timer.Stop() })
	})()
	opts.outage = &outage{log: opts.Log}
	started := time.Now()
	for reached, backoff := false, firstBackoff; ; {
		s := &session{opts: &opts}
		opened, err := s.do(working, ctx)
		reached = reached || opened
		opts.Metrics.sessionEnded(err)
		switch {
		case ctx.Err() != nil && err == nil:
			if s.state != nil {
				opts.Log.Info("stopped, everything read is committed", "records", s.state.Records, "duplicates",
					s.state.Duplicates)
			}
			return context.Cause(ctx)
		case working.Err() != nil:
			return context.Cause(working)
		// nothing was read
		case ctx.Err() != nil && !opened && errors.Is(err, context.Canceled) && !isPermanent(err):
			return context.Cause(ctx)
		case ctx.Err() != nil:
			return fmt.Errorf("%w: what was read last was not committed; the next start processes it again: %w",
				context.Cause(ctx), err)
		case isPermanent(err),
			// the error says what may be wrong with TLS or SASL
			!reached && errors.As(err, new(*kgo.ErrFirstReadEOF)):
			return err
		case !reached && !lacksCoordinator(err) && time.Since(started) > firstTimeout:
			return fmt.Errorf("no session with %v in %s: %w", opts.Brokers, firstTimeout, err)
		}
		if s.commits > 0 {
			backoff = firstBackoff
		}
		if opened {
			opts.outage.warn(time.Now(), "the session has ended; what it had not committed is processed again",
				"error", err, "again in", backoff)
			opts.Metrics.restarted()
		} else {
			opts.outage.warn(time.Now(), "no session yet", "error", err, "again in", backoff)
		}
		select {
		case <-time.After(backoff):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

// do runs one session. opened reports whether the brokers answered.
func (s *session) do(ctx, stop context.Context) (opened bool, err error) {
	opening, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// no work is in progress yet
	defer context.AfterFunc(stop, func() { cancel(context.Cause(stop)) })()
	err = s.open(opening)
	cancel(nil)
	if err == nil {
		opened = true
		err = s.run(ctx, stop)
	}
	if s.index.Store != nil {
		if failed := s.index.Close(); failed != nil {
			err = errors.Join(err, permanentError{failed})
		}
	}
	return opened, err
}
