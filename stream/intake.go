package stream

import (
	"context"

	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// An intake hands over batches in the order of the input, when the workers are through with them.
type intake struct {
	opts       *Options
	order      <-chan *batch
	free       chan<- *batch
	ring       ring
	prefetched []*batch        // that the judge knows of, and comes to next
	clock      timestamp.Clock // after the last batch that is ready, under Options.LineTimes
}

// known returns the next batch that a judge was told about in advance, if any.
func (q *intake) known() *batch {
	if len(q.prefetched) == 0 {
		return nil
	}
	b := q.prefetched[0]
	q.prefetched = q.prefetched[1:]
	return b
}

// ready waits for the workers of a batch, and tells a judge that wants to know it what follows.
func (q *intake) ready(ctx context.Context, b *batch) error {
	select {
	case <-b.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	q.timeLines(b)
	return q.prefetch(ctx, b)
}

// recycle has a batch filled again.
func (q *intake) recycle(b *batch) { q.ring.recycle(b, q.free) }
