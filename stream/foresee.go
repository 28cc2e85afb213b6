package stream

import (
	"context"
	"time"
)

// patience is how long a further batch is waited for, which a judge is to foresee: longer than one
// takes to be read and sketched, and not noticed where a pipe gives little.
const patience = 20 * time.Millisecond

// foresee tells a judge that wants to know it which batches follow on one that is ready, as many as
// come without a break. Meanwhile the workers have what is left of the ring.
func (q *intake) foresee(ctx context.Context, b *batch) error {
	judge, ok := Ability[Prefetcher](q.opts.Method.Judge)
	if !ok || q.opts.Ahead == 0 || !judge.CanPrefetch() {
		return nil
	}
	q.ring.grow(q.free)
	batches := []Batch{b.sketches}
	q.foreseen = q.foreseen[:0]
	for len(batches) < q.ring.foreseen() {
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
		q.foreseen, batches = append(q.foreseen, next), append(batches, next.sketches)
	}
	return judge.Prefetch(batches)
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
