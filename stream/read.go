package stream

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A reader is the goroutine that fills batches from one input after the other.
type reader struct {
	opts        *Options
	blocks      *blockReader
	free        <-chan *batch
	order, work chan<- *batch
	batch       *batch // taken from free, not queued yet
	header      uint64 // the hash of the first one, or 0
}

// run reads the inputs from that number on to their ends, or until the run is stopped. The first of
// them may already be open, at some position.
func (r *reader) run(ctx context.Context, from int, first opened) {
	defer close(r.order)
	for i := from; i < len(r.opts.Inputs); i++ {
		in := first
		if i > from || !in.isOpen() {
			var err error
			if in, err = r.opts.open(r.opts.Inputs[i]); err != nil {
				if !r.waitForBatch(ctx) || !r.fail(i, err) {
					return
				}
				continue
			}
		}
		more := r.read(ctx, i, in)
		in.close()
		if !more {
			return
		}
	}
}

// read queues the records of one input. It returns false if that was the last input for this run.
// An error travels in the batch after whose records it occurred, so what is committed before it
// depends only on the input.
func (r *reader) read(ctx context.Context, input int, in opened) bool {
	if in.records != nil {
		return r.readRecords(ctx, input, in.records)
	}
	return r.readBytes(ctx, input, in.src, in.head)
}

// readBytes queues the records of an input that a Splitter divides into records.
func (r *reader) readBytes(ctx context.Context, input int, src io.Reader, head []byte) bool {
	cut := r.opts.Format.NewSplitter()
	var t *record.Table
	var err error
	if len(head) > 0 {
		if t, err = cut.Resume(head); err == nil {
			err = r.unite(t)
		}
	}
	r.blocks.open(src, cut)
	for atStart := len(head) == 0; ; atStart = false {
		if !r.waitForBatch(ctx) {
			return false
		}
		b := r.batch
		if err != nil {
			return r.fail(input, err)
		}
		more := r.blocks.fill(b)
		b.input, b.atStart = input, atStart
		if atStart && len(b.buf) > 0 {
			if t, err = r.readLead(b, cut); err != nil {
				b.buf, b.lead, b.added, b.piece = b.buf[:0], 0, 0, WholeRecords
				return r.fail(input, err)
			}
		}
		b.table = t
		if b.err != nil {
			return r.fail(input, b.err)
		}
		if len(b.buf) > 0 {
			r.queue()
		}
		if !more {
			return true
		}
	}
}

// readLead reads what precedes the first record. If that is a header, records of all inputs are
// written below the first one, so headers must agree.
func (r *reader) readLead(b *batch, cut record.Splitter) (t *record.Table, err error) {
	b.lead, t, err = cut.Head(b.buf)
	if err == nil && t != nil {
		err = r.opts.checkColumns(t)
	}
	if err != nil || b.lead == 0 || t == nil || r.opts.Convert || r.opts.eachHasHeader() {
		return t, err
	}
	if r.opts.Union != nil {
		return t, r.unite(t)
	}
	header := headerHash(b.buf[:b.lead], t)
	switch {
	case r.header == 0:
		r.header = header
	case r.header != header:
		return nil, errors.New("its header is not that of the first input: read it in a run of its own")
	}
	return t, err
}

// unite determines how to rewrite the rows of a table for the union of columns.
func (r *reader) unite(t *record.Table) (err error) {
	if t != nil && r.opts.Union != nil {
		err = r.opts.Union.Map(t)
	}
	return err
}

// eachHasHeader reports whether the rows of each input have their own header, or none has one.
func (o *Options) eachHasHeader() bool {
	isOwn := o.Output == nil || o.Shards != nil && o.Shards.byInput()
	return isOwn && o.Duplicates == nil && o.Rejects == nil
}

// headerIn returns the header of an input that begins with head, or nil if it has none.
func (o *Options) headerIn(head []byte) []byte {
	if len(head) == 0 {
		return nil
	}
	lead, t, err := o.Format.NewSplitter().Head(head)
	if err != nil || t == nil { // the reader reports the error
		return nil
	}
	return head[:lead]
}

// headerHash identifies a header, regardless of its quotes and line ends. For a header without
// names, it identifies how rows are divided.
func headerHash(header []byte, t *record.Table) uint64 {
	if named := t.Header(); named != "" {
		return xxh3.HashString(named)
	}
	return xxh3.Hash(bytes.TrimRight(record.TrimBOM(header), "\r\n"))
}

// waitForBatch waits for a free batch. It returns false if the run is over.
func (r *reader) waitForBatch(ctx context.Context) bool {
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

// queue passes the batch on. No send blocks, since there are no more batches than places. A batch
// without work for a worker, such as a mark, wakes up none.
func (r *reader) queue() {
	b := r.batch
	r.batch = nil
	if b.isFramed && len(b.framed.List) == 0 {
		b.done <- struct{}{}
		r.order <- b
		return
	}
	r.order <- b
	r.work <- b
}

// fail queues the batch with the reason why its input cannot be read any further. It reports
// whether the run continues after that.
func (r *reader) fail(input int, err error) bool {
	r.batch.input, r.batch.err = input, err
	r.queue()
	return !r.opts.isFatal(err)
}
