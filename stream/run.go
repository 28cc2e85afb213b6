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
	"slices"
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
	Inputs    []Input // read one after the other, as one stream
	Format    Format  // of all of them
	MaxRecord int     // bytes, without the terminator; a longer record is a reject

	Sketcher *sketch.Sketcher // cloned for each worker; nil if records come with their keys, or with their verdicts
	Bands    int              // band keys a record
	Index    Index
	Unasked  func(Problem) error // is told, in their order, of the records that the index is not asked about; or nil
	Verdicts Verdicts            // decide instead of the index; nil if there are none

	NewTextFilter func() TextFilter // nil if texts are compared as they are

	Output     io.Writer
	Duplicates io.Writer // the removed records, or nil
	Rejects    io.Writer // the records that could not be read, or nil
	Flags      io.Writer // a line for each record, 1 kept or 0 removed, or nil
	Sink       Sink      // is told of each record, or nil

	Packed    Packed        // the outputs that take records packed, if a RecordReader frames them
	NewPacker func() Packer // nil if there are none

	// Mark is called for each mark that a RecordReader has made, when all records before it are decided and none behind it, by the
	// goroutine that calls Sink and Index. If it fails nothing more is written. It may be nil.
	Mark     func(tag any) error
	Annotate bool // write every record, with its verdict as a JSON member
	Convert  bool // write records to Output and Duplicates as JSON, one a line; then OnError must be ErrorDivert

	OnError string // ErrorKeep, ErrorDivert or ErrorFail
	Empty   string // EmptyKeep, EmptyDrop or EmptyReject
	Threads int    // workers; 0 is one for each CPU

	// Lost is told of each input that cannot be read to its end, behind the records before that place; then the run goes on with the
	// next one. If it is nil the run fails there.
	Lost func(Place)

	From        Stats        // the counts of the run that this one resumes: the inputs are skipped so far, counting goes on from here
	Checkpoints *Checkpoints // nil if the run is not to be resumable
}

// A Run is one pass over the inputs.
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

// Do reads the inputs to their ends and returns the final counts. If ctx is done it stops at the edge of a record, writes what is
// decided and returns the cause; the goroutine that waits for input ends with its read, which nothing can interrupt.
func (r *Run) Do(ctx context.Context) (Stats, error) {
	from, resumed, err := resume(r.opts.Inputs, r.opts.From.At)
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

	in := &reader{opts: &r.opts, blocks: newBlockReader(r.opts.MaxRecord, ctx.Done()), free: free, order: order, work: work,
		header: r.opts.From.Header}
	go in.run(ctx, from, resumed)
	var workers sync.WaitGroup
	for range r.opts.Threads {
		w := newWorker(&r.opts)
		workers.Go(func() { w.run(ctx, work) })
	}

	c := &committer{opts: &r.opts, live: &r.live, stats: r.opts.From, head: slices.Clone(resumed.head)}
	c.kept = newOutput("output", r.opts.Output, &c.stats.Written.Output)
	c.duplicates = newOutput("duplicates", r.opts.Duplicates, &c.stats.Written.Duplicates)
	c.rejects = newOutput("rejects", r.opts.Rejects, &c.stats.Written.Rejects)
	c.flags = newOutput("flags", r.opts.Flags, &c.stats.Written.Flags)
	c.kept.use(r.opts.Format, r.opts.Convert, r.opts.Packed.Output)
	c.duplicates.use(r.opts.Format, r.opts.Convert, r.opts.Packed.Duplicates)
	c.rejects.use(r.opts.Format, false, r.opts.Packed.Rejects)
	c.checkpoint = newTimer(r.opts.Checkpoints, c.stats.Records)
	defer c.checkpoint.stop()
	err = c.run(ctx, order, free)
	c.stats.Complete = err == nil
	r.live.store(c.stats)
	cancel()
	workers.Wait()
	return c.stats, err
}
