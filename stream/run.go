// Package stream carries records from inputs to outputs, in order, and leaves the duplicates out.
//
//	free <── ring of 2·threads+2 batches, and more for Judge.Prefetch (ring.go)
//	reader     takes a free batch, reads whole records into it, queues it twice: in order, as work
//	workers    take batches from work: records, texts, sketches
//	committer  takes batches in order, waits for their worker, has them judged, writes
//
// Every channel can hold every batch, so no send blocks. The reader's wait for a free batch is the
// only back-pressure, and the ring bounds the memory. A single goroutine calls the judge and
// writes.
package stream

import (
	"context"
	"sync"

	"github.com/mithril-stream/mithril-stream/stream/internal/known"
)

// A Run is one pass over the inputs.
type Run struct {
	opts  Options
	live  liveStats
	known knownLimits // a test has others
}

// New checks the options and prepares a run. Nothing is read before Do.
func New(opts Options) (*Run, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	return &Run{opts: opts, known: knownLimits{buckets: known.MostBuckets, trial: knownTrial}}, nil
}

// Stats returns the counts so far. It may be called during Do.
func (r *Run) Stats() Stats { return r.live.load() }

// Do reads all inputs and returns the final counts. If ctx is done, Do stops between two records,
// writes what has been decided and returns the cause. A goroutine that waits for input ends only
// with its read, which cannot be interrupted.
func (r *Run) Do(ctx context.Context) (Stats, error) {
	from, resumed, err := r.opts.resume(r.opts.From.At)
	if err != nil {
		return r.opts.From, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ring := newRing(&r.opts)
	size := ring.size()
	free, order, work := make(chan *batch, size), make(chan *batch, size), make(chan *batch, size)
	for range ring.fixed {
		free <- newBatch()
	}

	in := &reader{
		opts: &r.opts, blocks: newBlockReader(r.opts.MaxRecord, ctx.Done()),
		free: free, order: order, work: work, header: r.opts.From.Header,
	}
	go in.run(ctx, from, resumed)
	texts := newKnownTexts(&r.opts, r.known)
	var workers sync.WaitGroup
	for range r.opts.Threads {
		w := newWorker(&r.opts, texts.table())
		workers.Go(func() { w.run(ctx, work) })
	}

	c := newCommitter(&r.opts, &r.live, resumed.head)
	c.known, c.intake.ring, c.intake.order, c.intake.free = texts, ring, order, free
	defer c.checkpoint.stop()
	err = c.run(ctx)
	c.stats.Complete = err == nil
	r.live.store(c.stats)
	cancel()
	workers.Wait()
	texts.table().Close()
	return c.stats, err
}
