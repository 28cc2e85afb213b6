package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// attempts is the maximum number of consecutive attempts that receive no byte.
const attempts = 6

// firstPause doubles with each attempt. A server may ask for a longer pause, up to longestPause:
// most servers limit requests per five minutes.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Minute
)

// A first failure is not reported, and neither is the next one within this time.
const (
	quietAttempts = 1
	quietTime     = 5 * time.Second
)

// requests makes requests until they succeed or another attempt is pointless. It is safe for
// concurrent use.
type requests struct {
	ctx     context.Context                                     // when it is done, requests end
	waiting func(why error)                                     // Options.Waiting
	pause   func(ctx context.Context, long time.Duration) error // waits before the next attempt

	notify     sync.Mutex
	notifiedAt time.Time // time of the last call of waiting
}

// retry retries do until it succeeds or another attempt is pointless.
func (c *requests) retry(ctx context.Context, do func(ctx context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := do(ctx)
		if err == nil || !store.IsTemporary(err) || attempt == attempts || ctx.Err() != nil {
			return err
		}
		if err := c.wait(ctx, attempt, err); err != nil {
			return err
		}
	}
}

// stat retries if the server is temporarily unable to answer.
func (c *requests) stat(of source) (v store.Version, err error) {
	err = c.retry(c.ctx, func(ctx context.Context) (err error) {
		v, err = of.stat(ctx)
		return err
	})
	return v, err
}

// caused replaces a non-nil err by the reason why the program was stopped, if it was.
func (c *requests) caused(err error) error {
	if err != nil && c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return err
}

// fill reads len(buf) bytes of an object. It resumes a request that breaks off; each byte received
// resets the number of attempts.
func (c *requests) fill(ctx context.Context, of source, v store.Version, buf []byte, from int64) error {
	got, attempt := 0, 0
	for got < len(buf) {
		n, err := fillSome(ctx, of, v, buf[got:], from+int64(got))
		if got += n; n > 0 {
			attempt = 0
		}
		if err == nil {
			continue
		}
		if attempt++; !store.IsTemporary(err) || attempt == attempts {
			return fmt.Errorf("at byte %d: %w", from+int64(got), err)
		}
		if err := c.wait(ctx, attempt, err); err != nil {
			return err
		}
	}
	return nil
}

func fillSome(ctx context.Context, of source, v store.Version, buf []byte, from int64) (n int, err error) {
	body, err := of.get(ctx, v, from, from+int64(len(buf)))
	if err != nil {
		return 0, err
	}
	if n, err = io.ReadFull(body, buf); err != nil {
		err = store.Broken(err)
	}
	return n, errors.Join(err, body.Close())
}

// wait pauses before the next attempt after an error, and reports that.
func (c *requests) wait(ctx context.Context, attempt int, why error) error {
	long := firstPause << (attempt - 1)
	if busy := (interface{ RetryAfter() time.Duration })(nil); errors.As(why, &busy) {
		long = max(long, busy.RetryAfter())
	}
	if long > longestPause {
		return why
	}
	if (attempt > quietAttempts || long >= quietTime) && c.waiting != nil {
		c.notify.Lock()
		if now := time.Now(); now.Sub(c.notifiedAt) >= quietTime {
			c.notifiedAt = now
			c.waiting(why)
		}
		c.notify.Unlock()
	}
	return c.pause(ctx, long)
}

// pause waits before the next attempt.
func pause(ctx context.Context, long time.Duration) error {
	select {
	case <-time.After(long):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
