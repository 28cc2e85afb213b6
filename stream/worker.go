package stream

import (
	"context"
	"runtime"
	"slices"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
	"github.com/mithril-stream/mithril-stream/stream/internal/known"
)

// A worker turns the bytes of a batch into records and sketches. It shares nothing with other
// workers.
type worker struct {
	readings [2]reading // in turns: the text of a record is good while that of the next one is found
	sketching
	unread    bool // neither the texts nor the problems of records are needed
	naming    naming
	timing    timing
	excerpt   int // bytes of each text that sinks receive
	maxRecord int
	members   *record.MemberFinder // nil if none are added
	check     CharCheck
	packer    Packer // nil if no output takes packed records
}

// A sketching makes sketches of texts.
type sketching struct {
	sketcher Sketcher // nil if no sketches are needed
	known    *known.Table
	hashes   bool              // the judge reads hashes of sketches
	inspect  func(text []byte) // is shown texts; may be nil
}

// A naming finds the values of a record that sinks, and the sketcher, receive in addition to its
// text. It belongs to a worker.
type naming struct {
	within within
	ids    int       // where what names records is among the named fields,
	fields []int     // whose values sinks receive
	urls   URLReader // the sketcher, if it is one; it tells what is wrong with values
}

// notNamed is the index of a field that is not among the named ones.
const notNamed = -1

// A timing says how a worker finds the times of records.
type timing struct {
	timed  bool   // the judge needs times, and they are found here
	times  int    // the named field; notNamed if a RecordReader says so
	field  string // its name
	stamps bool   // lines say so
	plain  []byte // scratch
}

func newWorker(o *Options, texts *known.Table) *worker {
	w := &worker{
		sketching: sketching{known: texts, hashes: o.Method.Judge.ReadsHashes, inspect: o.Inspect},
		maxRecord: o.MaxRecord, check: o.Check,
		unread: o.Method.DecidesAll && !o.Convert &&
			o.Excerpt == 0 && o.Members == nil && o.Repeat == nil && !o.Check.UTF8,
	}
	named := o.named()
	for i := range w.readings {
		w.readings[i].parser = o.Format.NewParser(named...)
	}
	if o.Method.NewSketcher != nil {
		w.sketcher = o.Method.NewSketcher()
	}
	if urls, ok := Ability[URLReader](w.sketcher); ok {
		w.naming.urls, w.known = urls, nil // whose values are to be counted, also those of known texts
	}
	w.members = newMemberFinder(o.added())
	w.naming.ids = slices.Index(named, o.ID)
	for _, field := range o.Fields {
		w.naming.fields = append(w.naming.fields, slices.Index(named, field))
	}
	w.timing.stamps = o.LineTimes != nil
	w.timing.timed = o.Timed && !w.timing.stamps
	w.timing.times, w.timing.field = slices.Index(named, o.Time), o.Time
	w.naming.within = newWithin(o, w.sketcher, named)
	w.excerpt = o.Excerpt
	if o.NewPacker != nil {
		w.packer = o.NewPacker()
	}
	return w
}

// run processes batches until there are no more, or until the committer wants no more.
func (w *worker) run(ctx context.Context, work <-chan *batch) {
	for {
		select {
		case b := <-work:
			w.process(b)
			b.done <- struct{}{}
			// With a single core, the reader goes first, since a writer may be waiting for it.
			runtime.Gosched()
		case <-ctx.Done():
			return
		}
	}
}

// process fills in b.records and b.sketches.
func (w *worker) process(b *batch) {
	if len(b.fields) < len(w.naming.fields) {
		b.fields = make([]values, len(w.naming.fields))
	}
	if named := 1 + len(w.naming.fields) + 1; len(b.present.named) < named { // Source.told
		b.present.named = make([]bool, named)
	}
	if b.isFramed {
		w.frame(b)
		return
	}
	if b.piece == WholeRecords {
		for i := range w.readings {
			w.readings[i].parser.SetTable(b.table)
		}
		w.cut(b)
		return
	}
	start := b.lead
	if b.piece == FirstPiece {
		start, _, _ = w.readings[0].parser.Next(b.buf, start)
		p := TooLong
		if !w.unread {
			p = record.Overlong(w.readings[0].parser, b.buf[start:], w.maxRecord)
		}
		w.add(b, p, 0)
		if w.timing.stamps {
			b.stamps = append(b.stamps, timestamp.Stamp{})
		}
	}
	b.records = append(b.records, extent{start: start, body: len(b.buf), end: len(b.buf)})
}

// cut divides the block into records. It finds the text of the next one before it sketches one.
func (w *worker) cut(b *batch) {
	at, next := &w.readings[0], &w.readings[1]
	for w.find(b, b.lead, at); at.start < len(b.buf); at, next = next, at {
		w.find(b, at.end, next)
		p := w.sketch(b, at, 0)
		if at.end == len(b.buf) && b.added > 0 {
			p = record.CutOff(at.parser, at.view.Body, p)
		}
		w.add(b, p, at.copied)
		if at.done && (p.IsReadable() || p.Kind() == record.KindEmptyText) {
			b.present.texts |= ^at.omitted.Missing()
		}
		b.present.excluded |= at.omitted.Excluded()
		if at.done && (!at.omitted.IsZero() || at.notURLs > 0) {
			b.omitted = append(b.omitted, omittedOf{len(b.records), at.omitted, at.notURLs})
		}
		w.name(b, at, len(at.view.Body) <= w.maxRecord)
		if w.timing.stamps {
			w.stamp(b, at.view.Body)
		}
		b.records = append(b.records, extent{start: at.start, body: at.body, end: at.end})
	}
	at.view, next.view = record.View{}, record.View{} // else they would keep a long batch in memory
}

// add adds a record. Its sketch, if any, must already be at the end of the batch. copied is the
// hash of the sketch of a copy.
func (w *worker) add(b *batch, p Problem, copied uint64) {
	to := &b.sketches
	if to.add(p); !w.hashes {
		return
	}
	if sketch := to.Sketch(to.Len() - 1); len(sketch) > 0 {
		copied = xxh3.Hash(unsafe.Slice((*byte)(unsafe.Pointer(&sketch[0])), 8*len(sketch)))
	}
	to.Hashes = append(to.Hashes, copied)
}

// stamp appends the time written in a line to the batch. A line that is too long has none, since
// which part of it is in the buffer depends on reads.
func (w *worker) stamp(b *batch, line []byte) {
	if len(line) > w.maxRecord {
		line = nil
	}
	b.stamps = append(b.stamps, timestamp.Find(line))
}

// isAsked reports whether name has anything to find.
func (n *naming) isAsked() bool {
	return n.ids != notNamed || len(n.fields) > 0
}

// name appends the names of a record, and the fields that sinks receive, to a batch. They are empty
// for a record that is not judged.
func (w *worker) name(b *batch, r *reading, asked bool) {
	if asked && !r.done && w.naming.isAsked() {
		r.parser.Find(r.view.Body)
	}
	add := func(number, field int, to *values) { // in the order of Source.sinkFields
		if field == notNamed {
			return
		}
		if asked {
			value := r.value(field)
			if number == 0 && record.IsBoolean(value) {
				value = nil // it is no name
			}
			to.bytes = append(to.bytes, value...)
			b.present.named[number] = b.present.named[number] || len(value) > 0
		}
		to.ends = append(to.ends, len(to.bytes))
	}
	add(0, w.naming.ids, &b.ids)
	for i, field := range w.naming.fields {
		add(1+i, field, &b.fields[i])
	}
}

// frame turns what a RecordReader has returned into records.
func (w *worker) frame(b *batch) {
	b.sketches.Tag = b.framed.Tag
	of := &w.readings[0]
	defer func() { of.view = record.View{} }() // else it would keep a long batch in memory
	for i := range b.framed.List {
		f := &b.framed.List[i]
		r := extent{start: f.Raw.Start, body: f.Raw.End, end: f.Raw.End, packed: f.Packed, aside: f.Aside}
		of.view = record.View{Body: b.buf[f.Text.Start:f.Text.End], Buf: b.buf, Named: b.framed.named(i)}
		of.done, of.omitted, of.notURLs, of.copied = false, Omissions{}, 0, 0
		if !r.aside && b.piece <= FirstPiece {
			p := w.sketchFramed(b, f, of)
			w.add(b, p, of.copied)
			o := of.omitted
			if !f.Omitted.IsZero() {
				o = f.Omitted
			}
			b.present.excluded |= o.Excluded() | f.Omitted.Excluded()
			if urls := of.notURLs; !o.IsZero() || urls > 0 {
				b.omitted = append(b.omitted, omittedOf{i, o, urls})
			}
		} else {
			w.endExcerpt(b)
		}
		w.name(b, of, !r.aside && b.piece == WholeRecords)
		if w.packer != nil && r.packed.Start == r.packed.End && b.piece == WholeRecords {
			r.packed.Start = len(b.packed)
			b.packed = w.packer(b.packed, b.buf[r.start:r.end])
			r.packed.End = len(b.packed)
		}
		b.records = append(b.records, r)
	}
}

// sketchFramed appends the sketch from a RecordReader or, without one, that of the text.
func (w *worker) sketchFramed(b *batch, f *Record, of *reading) Problem {
	switch {
	case !f.Problem.IsReadable():
		w.endExcerpt(b)
		return f.Problem
	case f.Sketch.End > f.Sketch.Start:
		w.endExcerpt(b)
		b.sketches.Words = append(b.sketches.Words, b.framed.Sketches[f.Sketch.Start:f.Sketch.End]...)
		return Problem{}
	}
	w.read(of)
	return w.sketch(b, of, f.Time)
}

// endExcerpt ends the excerpt of a record, if there is one, at the end of b.excerpts.
func (w *worker) endExcerpt(b *batch) {
	if w.excerpt > 0 {
		b.excerpts.ends = append(b.excerpts.ends, len(b.excerpts.bytes))
	}
}

// sketch appends the sketch of one record to the batch, unless it cannot have one. made is its
// time, as far as a RecordReader has reported it.
func (w *worker) sketch(b *batch, of *reading, made int64) Problem {
	defer w.endExcerpt(b)
	if !of.done {
		return of.problem
	}
	defer of.release()
	to, text, p := &b.sketches, of.text, of.problem
	if w.excerpt > 0 && p.IsReadable() {
		b.excerpts.bytes = append(b.excerpts.bytes, text[:min(len(text), w.excerpt)]...)
	}
	if (p.IsReadable() || p.IsTextProblem()) && w.repeats(of.view.Body) {
		return record.Annotated
	}
	if !p.IsReadable() || w.sketcher == nil {
		return p
	}
	if sketch, isKnown := of.known.Find(); isKnown {
		to.hasCopies, of.copied = true, sketch
		return Problem{}
	}
	if w.inspect != nil {
		w.inspect(text)
	}
	if w.naming.within.find(of) {
		b.present.named[len(b.present.named)-1] = true
	}
	before := len(to.Words)
	words, ok := w.sketcher.Append(to.Words, text)
	if to.Words = words; w.naming.urls != nil {
		of.notURLs = uint64(w.naming.urls.NotURLs())
	}
	if !ok {
		return NoText
	}
	if w.timing.timed {
		if made, ok = w.timeOf(of, made); !ok {
			to.Words = to.Words[:before]
			w.noteUntimed(b, of)
			return record.NoTime
		}
		to.Times = append(to.Times, made)
	}
	if of.known.WasDone() {
		b.texts = append(b.texts, newText{to.Len(), of.known.Hash})
	}
	return Problem{}
}
