package stream

import (
	"context"
	"io"
)

// A reader is the goroutine that fills batches, from one input after the other.
type reader struct {
	opts        *Options
	blocks      *blockReader
	free        <-chan *batch
	order, work chan<- *batch
	batch       *batch // taken from free, not queued yet
}

// run reads the inputs to their ends, or until nobody wants more. The first one may be open already, and read to some place.
func (r *reader) run(ctx context.Context, first opened) {
	defer close(r.order)
	for i := first.input; i < len(r.opts.Inputs); i++ {
		src, atStart := first.src, false
		if i > first.input || src == nil {
			var err error
			if src, err = r.opts.Inputs[i].Open(); err != nil {
				if !r.take(ctx) || !r.fail(i, err) {
					return
				}
				continue
			}
			atStart = true
		}
		more := r.read(ctx, i, src, atStart)
		src.Close() // nothing was written to it: there is nothing that closing could tell
		if !more {
			return
		}
	}
}

// read queues one input. It returns false if that was the last one for this run. An error travels in the batch behind whose records
// it happened, so that what is committed before it depends on the input alone.
func (r *reader) read(ctx context.Context, input int, src io.Reader, atStart bool) bool {
	r.blocks.open(src, r.opts.Format.newCutter())
	for {
		if !r.take(ctx) {
			return false
		}
		b := r.batch
		b.input, b.atStart = input, atStart
		more := r.blocks.fill(b)
		if b.err != nil {
			return r.fail(input, b.err)
		}
		if len(b.buf) > 0 {
			r.queue()
		}
		if !more {
			return true
		}
		atStart = false
	}
}

// take waits for a batch. It returns false if the run is over.
func (r *reader) take(ctx context.Context) bool {
	if r.batch != nil {
		return true
	}
	select {
	case r.batch = <-r.free:
		return true
	case <-ctx.Done():
		return false
	}
}

// queue hands the batch on. No send blocks: there are no more batches than places.
func (r *reader) queue() {
	r.order <- r.batch
	r.work <- r.batch
	r.batch = nil
}

// fail queues the batch with the reason why its input cannot be read on, and reports whether the run goes on behind it.
func (r *reader) fail(input int, err error) bool {
	r.batch.input, r.batch.err = input, err
	r.queue()
	return r.opts.Lost != nil && err != errStopped
}
