package stream

import (
	"context"
	"time"
)

// patience is how long prefetch waits for another batch: longer than it takes to read and sketch
// one, but too short to be noticed on a slow pipe.
const patience = 20 * time.Millisecond

// prefetch shows the judge the batches that follow, as many as arrive without a break, if it works
// faster with them. Meanwhile the workers use the rest of the ring.
func (q *intake) prefetch(ctx context.Context, b *batch) error {
	if q.opts.Ahead == 0 || !q.opts.Method.Judge.canPrefetch() {
		return nil
	}
	q.ring.grow(q.free)
	batches := []Batch{b.sketches}
	q.prefetched = q.prefetched[:0]
	for len(batches) < q.ring.prefetchDepth() {
		next := following(ctx, q.order)
		if next == nil {
			break
		}
		select {
		case <-next.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		q.timeLines(next)
		q.prefetched, batches = append(q.prefetched, next), append(batches, next.sketches)
	}
	return q.opts.Method.Judge.Prefetch(batches)
}

// following returns the next batch, or nil if none arrives for a while.
func following(ctx context.Context, order <-chan *batch) *batch {
	select {
	case b := <-order:
		return b
	default:
	}
	soon := time.NewTimer(patience)
	defer soon.Stop()
	select {
	case b := <-order:
		return b
	case <-soon.C:
	case <-ctx.Done():
	}
	return nil
}
