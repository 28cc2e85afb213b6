package stream

import (
	"context"
	"runtime"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A worker turns the bytes of a batch into records and band keys. It shares nothing with other workers.
type worker struct {
	parser    parser
	sketcher  *sketch.Sketcher // nil if nobody asks for band keys
	unread    bool             // nor for what is wrong with a record
	maxRecord int
	filter    TextFilter // nil if texts are compared as they are
	filtered  []byte     // what filter leaves of the text of the record at hand
	packer    Packer     // nil if no output takes packed records
}

func newWorker(o *Options) *worker {
	w := &worker{parser: o.Format.newParser(), unread: o.Verdicts != nil && !o.Convert, maxRecord: o.MaxRecord}
	if o.Sketcher != nil {
		w.sketcher = o.Sketcher.Clone()
	}
	if o.NewTextFilter != nil {
		w.filter = o.NewTextFilter()
	}
	if o.NewPacker != nil {
		w.packer = o.NewPacker()
	}
	return w
}

// A TextFilter takes what is to be compared out of the text of a record. It may own scratch memory: one for each worker.
type TextFilter interface {
	Append(dst, text []byte) []byte
}

// maxScratch bounds the memory that a worker keeps from one record to the next: enough for the text of a book.
const maxScratch = 4 << 20

// run processes batches until there are no more. The committer ends it, when it has the last batch or wants no more.
func (w *worker) run(ctx context.Context, work <-chan *batch) {
	for {
		select {
		case b := <-work:
			w.process(b)
			b.done <- struct{}{}
			runtime.Gosched() // with one core for all: the reader first, for whom somebody may wait
		case <-ctx.Done():
			return
		}
	}
}

// process fills in b.records and b.keys.
func (w *worker) process(b *batch) {
	if b.isFramed {
		w.frame(b)
		return
	}
	if b.piece == WholeRecords {
		w.parser.enter(b.table)
		w.cut(b)
		return
	}
	start := b.lead
	if b.piece == FirstPiece {
		start, _, _ = w.parser.next(b.buf, start)
	}
	b.records = append(b.records, record{start: start, body: len(b.buf), end: len(b.buf), problem: TooLong})
}

func (w *worker) cut(b *batch) {
	for at := b.lead; ; {
		start, body, end := w.parser.next(b.buf, at)
		if start == len(b.buf) {
			return
		}
		text := b.buf[start:body]
		if b.atStart && start == 0 {
			text = withoutMark(text)
		}
		var p Problem
		b.keys, p = w.appendKeys(b.keys, text)
		b.records = append(b.records, record{start: start, body: body, end: end, problem: p})
		at = end
	}
}

// appendKeys appends the band keys of one record, unless something keeps it from having any.
func (w *worker) appendKeys(keys []Key, body []byte) ([]Key, Problem) {
	if w.unread {
		return keys, Problem{}
	}
	if len(body) > w.maxRecord {
		return keys, Problem{kind: tooLong}
	}
	text, p := w.parser.text(body)
	defer w.parser.release()
	if p.kind != readable || w.sketcher == nil {
		return keys, p
	}
	if w.filter != nil {
		text = w.filter.Append(w.filtered[:0], text)
		w.filtered = keep(text)
	}
	keys, ok := w.sketcher.BandKeys(keys, text)
	if !ok {
		return keys, Problem{kind: emptyText}
	}
	return keys, Problem{}
}

// keep returns scratch memory that may stay for the next record, and nil for what a long one has left.
func keep(scratch []byte) []byte {
	if cap(scratch) > maxScratch {
		return nil
	}
	return scratch
}
