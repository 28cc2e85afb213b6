// Package stream carries records from an input to an output and leaves the duplicates out.
//
//	free <── ring of 2·threads+2 batches
//	reader     takes a free batch, reads a block of whole lines into it, queues it in order and in work
//	workers    take batches from work: records, texts, band keys
//	committer  takes batches from order, waits until their worker is through; for each record: query, insert, write
//
// All channels have room for every batch, so no send blocks; the reader's wait for a free batch is the only back-pressure.
// Order is the order of the queue, memory is bounded by the ring, and one goroutine alone touches the index and the outputs.
package stream

import (
	"context"
	"io"
	"runtime"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// Key is a band key.
type Key = xxh3.Uint128

// What becomes of records that cannot be read.
const (
	ErrorKeep   = "keep"   // they go to the output
	ErrorDivert = "divert" // they go to Options.Rejects only
	ErrorFail   = "fail"   // they go to the output, and the caller fails in the end
)

// What becomes of records whose text has nothing to compare.
const (
	EmptyKeep   = "keep"
	EmptyDrop   = "drop"
	EmptyReject = "reject" // they count as records that cannot be read
)

// Options is what a run needs.
type Options struct {
	Input     io.Reader
	InputName string // for messages
	Fields    []Field
	MaxRecord int // bytes, without the newline; a longer record is a reject

	Sketcher *sketch.Sketcher // cloned for each worker
	Bands    int              // band keys a record
	Index    Index

	Output     io.Writer
	Duplicates io.Writer // the removed records, or nil
	Rejects    io.Writer // the records that could not be read, or nil
	Flags      io.Writer // a line for each record, 1 kept or 0 removed, or nil
	Annotate   bool      // write every record, with its verdict as a JSON member

	OnError string // ErrorKeep, ErrorDivert or ErrorFail
	Empty   string // EmptyKeep, EmptyDrop or EmptyReject
	Threads int    // workers; 0 is one for each CPU

	From        Stats        // the counts of the run that this one resumes: Input is skipped so far, counting goes on from here
	Checkpoints *Checkpoints // nil if the run is not to be resumable
}

// A Run is one pass over an input.
type Run struct {
	opts Options
	live liveStats
}

// New prepares a run; nothing is read before Do.
func New(opts Options) *Run {
	if opts.Threads <= 0 {
		opts.Threads = runtime.GOMAXPROCS(0)
	}
	return &Run{opts: opts}
}

// Stats returns the counts so far. It may be called while Do is at work.
func (r *Run) Stats() Stats { return r.live.load() }

// Do reads the input to its end and returns the final counts. If ctx is done it stops at the edge of a record, writes what is
// decided and returns the cause; the goroutine that waits for input ends with its read, which nothing can interrupt.
func (r *Run) Do(ctx context.Context) (Stats, error) {
	head, err := skip(r.opts.Input, r.opts.InputName, r.opts.From)
	if err != nil {
		return r.opts.From, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	size := 2*r.opts.Threads + 2
	free, order, work := make(chan *batch, size), make(chan *batch, size), make(chan *batch, size)
	for range size {
		free <- newBatch()
	}

	atStart := r.opts.From.BytesIn == 0
	go read(ctx, newLineReader(r.opts.Input, r.opts.MaxRecord, ctx.Done()), atStart, free, order, work)
	var workers sync.WaitGroup
	for range r.opts.Threads {
		w := &worker{
			text:      jsonText{fields: r.opts.Fields},
			sketcher:  r.opts.Sketcher.Clone(),
			maxRecord: r.opts.MaxRecord,
		}
		workers.Go(func() { w.run(ctx, work) })
	}

	c := &committer{opts: &r.opts, live: &r.live, stats: r.opts.From, head: head}
	c.kept = newOutput("output", r.opts.Output, &c.stats.Written.Output)
	c.duplicates = newOutput("duplicates", r.opts.Duplicates, &c.stats.Written.Duplicates)
	c.rejects = newOutput("rejects", r.opts.Rejects, &c.stats.Written.Rejects)
	c.flags = newOutput("flags", r.opts.Flags, &c.stats.Written.Flags)
	c.checkpoint = newTimer(r.opts.Checkpoints, c.stats.Records)
	defer c.checkpoint.stop()
	err = c.run(ctx, order, free)
	c.stats.Complete = err == nil
	r.live.store(c.stats)
	cancel()
	workers.Wait()
	return c.stats, err
}

// read fills batches until there is no more input or nobody wants it. An error travels in the batch behind whose records it
// happened, so that what is committed before it depends on the input alone.
func read(ctx context.Context, lines *lineReader, atStart bool, free <-chan *batch, order, work chan<- *batch) {
	defer close(order)
	for {
		var b *batch
		select {
		case b = <-free:
		case <-ctx.Done():
			return
		}
		b.atStart = atStart
		more := lines.fill(b)
		if !more && b.err == nil {
			return
		}
		order <- b
		work <- b
		if !more {
			return
		}
		atStart = false
	}
}
