package stream

import (
	"context"

	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// An intake delivers batches in the order of the input, once their workers are done.
type intake struct {
	opts       *Options
	order      <-chan *batch
	free       chan<- *batch
	ring       ring
	prefetched []*batch        // announced to the judge, and judged next
	clock      timestamp.Clock // after the last batch that is ready, under Options.LineTimes
}

// known returns the next batch that was announced to the judge, if any.
func (q *intake) known() *batch {
	if len(q.prefetched) == 0 {
		return nil
	}
	b := q.prefetched[0]
	q.prefetched = q.prefetched[1:]
	return b
}

// ready waits for the worker of a batch, and announces the following batches to a judge that
// prefetches.
func (q *intake) ready(ctx context.Context, b *batch) error {
	select {
	case <-b.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	q.timeLines(b)
	return q.prefetch(ctx, b)
}

// recycle returns a batch to the reader.
func (q *intake) recycle(b *batch) { q.ring.recycle(b, q.free) }
