package object

import (
	"context"
	"errors"
	"time"
)

// attempts is the number of attempts without receiving a byte.
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

// wait pauses before the next attempt after an error, and reports that.
func (c *Client) wait(ctx context.Context, attempt int, why error) error {
	long := firstPause << (attempt - 1)
	if busy := (interface{ RetryAfter() time.Duration })(nil); errors.As(why, &busy) {
		long = max(long, busy.RetryAfter())
	}
	if long > longestPause {
		return why
	}
	if (attempt > quietAttempts || long >= quietTime) && c.options.Waiting != nil {
		c.told.Lock()
		if now := time.Now(); now.Sub(c.toldAt) >= quietTime {
			c.toldAt = now
			c.options.Waiting(why)
		}
		c.told.Unlock()
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
