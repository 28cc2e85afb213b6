package stream

import (
	"context"
	"io"
)

// A RecordReader hands over records that stand in something else than a stream of bytes: the rows of a column file, the messages
// of a topic, the members of an archive. It is called from one goroutine.
type RecordReader interface {
	// ReadRecords appends the next records to r, at least one unless it returns an error or a mark; io.EOF says that none follow. What it has
	// appended before an error counts. What waits for records ends soon after ctx is done. To bound memory it should return when r.Buf
	// holds a quarter of a MiB or so, and it must not append to it a record that is longer than the user allows: TooLong stands for that.
	ReadRecords(ctx context.Context, r *Records) error
	// Skip passes over the records that an earlier run has dealt with. It is called before ReadRecords, if at all.
	Skip(at Position) error
	Close() error
}

// Records are what a RecordReader hands over at a time.
type Records struct {
	Buf  []byte // what List speaks of; it is reused as soon as all records of it are committed
	List []Record
	Tag  any // is handed to the Sink; or, without any record, to Options.Mark

	// Keys are the band keys of those records of List that have no problem, one after the other, where the reader knows them: then no
	// text is looked at, and the run has no Sketcher.
	Keys []Key

	Bytes uint64 // of the input, that these records have taken: for statistics, and for the Position behind them
	Head  uint64 // tells the input from others, for Position.Head; 0 if there is no such thing

	// Place says where a record stands, for messages, where that is not its number in the input. It may be nil.
	Place func(i int) (input string, record uint64)
}

// A Record is one of Records.
type Record struct {
	Raw     Span    // what is written of it; it may be empty if a Sink writes it
	Text    Span    // what the Format takes the text from
	Problem Problem // why it has none; zero if it has one
}

// A Span is a part of Records.Buf.
type Span struct{ Start, End int }

// A Sink is told what becomes of each record, in their order, by the one goroutine that decides it.
type Sink interface {
	// Take is called for each record; tag is that of its Records, and i its number there.
	Take(tag any, i int, f Fate) error
	// Flush is called when what was taken should be on its way: before a checkpoint, at the end of the run, and when there is nothing
	// to do but to wait for input.
	Flush() error
}

// Messages is the format of records that stand alone, in something that calls them so.
func Messages(f Format) Format { return messages{f} }

type messages struct{ Format }

func (messages) unit() string { return "message" }

// Framed is the format of records whose text a RecordReader has already taken out of them. unit is what one is called, and fields is
// what problems may speak of.
func Framed(unit string, fields []string) Format { return framed{named: unit, fields: fields} }

type framed struct {
	plainText
	named  string
	fields []string
}

func (f framed) unit() string         { return f.named }
func (f framed) fieldNames() []string { return f.fields }

func (framed) convert() func(dst, record []byte, t *table) []byte { return nil }

// readRecords queues one input that frames its records itself. It returns false if that was the last one for this run.
func (r *reader) readRecords(ctx context.Context, input int, src RecordReader) bool {
	for {
		if !r.take(ctx) {
			return false
		}
		b := r.batch
		b.input, b.isFramed, b.framed.Buf = input, true, b.buf
		err := src.ReadRecords(ctx, &b.framed)
		b.buf = b.framed.Buf
		if !r.blocks.claim(b) {
			return r.fail(input, errStopped)
		}
		if err != nil && err != io.EOF {
			return r.fail(input, err)
		}
		if len(b.framed.List) > 0 || b.framed.Tag != nil && r.opts.Mark != nil {
			r.queue()
		}
		if err == io.EOF {
			return true
		}
	}
}

// frame makes records of what a RecordReader has handed over.
func (w *worker) frame(b *batch) {
	b.keys = append(b.keys, b.framed.Keys...)
	for i := range b.framed.List {
		f := &b.framed.List[i]
		p := f.Problem
		if p.kind == readable && len(b.framed.Keys) == 0 {
			b.keys, p = w.appendKeys(b.keys, b.buf[f.Text.Start:f.Text.End])
		}
		b.records = append(b.records, record{f.Raw.Start, f.Raw.End, f.Raw.End, p})
	}
}
