package stream

import "context"

// foresee tells a judge that wants to know it which batches follow on one that is ready: those that
// are there already, so that a slow pipe is not waited for. Meanwhile the workers have the other
// half of the ring.
func (c *committer) foresee(ctx context.Context, b *batch, order <-chan *batch, free chan<- *batch) error {
	judge, ok := c.opts.Method.Judge.(Foreseer)
	if !ok || c.opts.Ahead == 0 || !judge.Foresees() {
		return nil
	}
	c.ring.grow(free)
	batches := []Batch{b.sketches}
	c.foreseen = c.foreseen[:0]
	for len(batches) < max(1, c.ring.ahead/2) {
		next := ready(order)
		if next == nil {
			break
		}
		select {
		case <-next.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		c.foreseen, batches = append(c.foreseen, next), append(batches, next.sketches)
	}
	return judge.Foresee(batches)
}

// ready is the batch that comes next, or nil if there is none now.
func ready(order <-chan *batch) *batch {
	select {
	case b := <-order:
		return b
	default:
		return nil
	}
}
