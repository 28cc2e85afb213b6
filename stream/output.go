package stream

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

var newline = []byte{'\n'}

// outputBuffer is large enough that a system call carries many records; a run of records that is
// larger goes past it.
const outputBuffer = 128 << 10

// A RecordWriter is an output that is handed whole records, one at a time, as lines of JSON: it
// goes with Options.Convert. What it says of a record is said with the place of that.
type RecordWriter interface {
	io.Writer // which is not used
	WriteRecord(record []byte) error
	Flush() error // as in a Sink
}

// An output is one of the streams that a run writes. A nil *output swallows what it is given: that
// stream was not asked for.
type output struct {
	name    string        // for messages: "output", "duplicates", …
	records RecordWriter  // takes what is written, if it is one
	w       *bufio.Writer // or else takes it
	gated   *gated        // what w writes to; nil if nothing is ever held back
	written *uint64
	start   uint64 // of what is written, where the shard at hand begins

	frame   frame
	convert func(dst, record []byte, t *table) []byte // nil if records leave as they came
	rows    *rowRewriter                              // has rows leave with other columns; nil if none do
	array   bool                                      // records leave as elements of an array
	scratch []byte                                    // a converted record
	packed  bool                                      // records leave as compressed streams of their own
	bare    bool                                      // nothing stands around what is written
}

// A writeError is a failed write: after it nothing more is written anywhere.
type writeError struct {
	name string
	err  error
}

func (e writeError) Error() string { return "write " + e.name + ": " + e.err.Error() }
func (e writeError) Unwrap() error { return e.err }

// A recordError is what a RecordWriter says of a record.
type recordError struct{ writeError }

// newOutput counts in written what is written, buffered bytes included.
func newOutput(name string, w io.Writer, written *uint64, g *gate) *output {
	if w == nil {
		return nil
	}
	o := &output{name: name, written: written}
	if records, ok := w.(RecordWriter); ok {
		o.records = records
		return o
	}
	if g != nil && g.closed {
		o.gated = &gated{w: w, gate: g}
		w = o.gated
	}
	o.w = bufio.NewWriterSize(w, outputBuffer)
	return o
}

func (o *output) write(p []byte) error {
	if o == nil || len(p) == 0 {
		return nil
	}
	n, err := o.w.Write(p)
	*o.written += uint64(n)
	if err != nil {
		return writeError{o.name, err}
	}
	return nil
}

func (o *output) flush() error {
	if o == nil {
		return nil
	}
	err := error(nil)
	if o.records != nil {
		err = o.records.Flush()
	} else {
		err = o.w.Flush()
	}
	if err == nil && o.gated != nil {
		err = o.gated.drain()
	}
	if err != nil {
		return writeError{o.name, err}
	}
	return nil
}

// use says how records stand in the output.
func (o *output) use(f Format, convert, packed bool) {
	if o == nil {
		return
	}
	o.packed = packed
	if convert {
		o.convert = f.convert()
	}
	if o.convert == nil {
		o.frame = f.frame()
	}
}

// useUnion has rows leave with the columns of a union.
func (o *output) useUnion(u *RowUnion) {
	if o != nil && o.convert == nil && u != nil {
		o.rows = &rowRewriter{union: u}
	}
}

// rewrites reports whether the rows of a batch leave with other columns.
func (o *output) rewrites(b *batch) bool {
	return o != nil && o.rows != nil && b.table != nil && b.table.to != nil && b.piece == WholeRecords
}

// rewritten returns a row of the batch with other columns, without what ends it. It is good until
// the next one.
func (o *output) rewritten(b *batch, r *record) []byte {
	o.scratch = o.rows.append(keep(o.scratch)[:0], withoutMark(b.buf[r.start:r.body]), b.table)
	return o.scratch
}

// useArray says that the records, which are JSON, stand in one array.
func (o *output) useArray() {
	if o != nil {
		o.array, o.frame = true, jsonArray{}.frame()
	}
}

// converts reports whether records are written in another format.
func (o *output) converts() bool { return o != nil && o.convert != nil }

// takesBlankLines reports whether a line that is no record may stand between records.
func (o *output) takesBlankLines() bool {
	return o == nil || o.convert == nil && !o.array && o.records == nil
}

// inRuns reports whether neighbouring records may be written in one piece.
func (o *output) inRuns() bool {
	return o == nil || o.convert == nil && o.frame.between == "" && o.records == nil
}

// bytesOf returns the record as it stands in the output, as a part of a buffer of the batch.
func (o *output) bytesOf(b *batch, r *record) (buf []byte, from, to int) {
	if o != nil && o.packed {
		return b.packed, r.packed.Start, r.packed.End
	}
	return b.buf, r.start, r.end
}

// begin writes what stands before the records. It may be called again.
func (o *output) begin(header []byte) error {
	switch {
	case o == nil || o.bare || *o.written > o.start:
		return nil
	case o.array:
		return o.write([]byte(o.frame.open))
	case o.convert != nil:
		return nil
	}
	if o.rows != nil && len(header) > 0 {
		header = o.rows.union.lead
	}
	return errors.Join(o.write([]byte(o.frame.open)), o.write(header))
}

// writeRecord writes record r of the batch, with member added to it if that is not nil.
func (o *output) writeRecord(b *batch, r *record, member []byte) error {
	if o == nil {
		return nil
	}
	if o.convert != nil && b.piece == WholeRecords {
		return o.writeLine(append(o.converted(b, r), newline...), member, true)
	}
	if o.rewrites(b) {
		return o.writeLine(append(o.rewritten(b, r), o.rows.end(b.buf[r.body:r.end], b.table)...), member, true)
	}
	buf, from, to := o.bytesOf(b, r)
	return o.writeLine(buf[from:to], member, b.piece <= FirstPiece)
}

// converted returns record r of the batch as a JSON object, without the end of its line. It is good
// until the next one.
func (o *output) converted(b *batch, r *record) []byte {
	o.scratch = o.convert(o.scratch[:0], withoutMark(b.buf[r.start:r.body]), b.table)
	return bytes.TrimSuffix(o.scratch, newline)
}

// writeLine writes a record, or the first piece or another one, with member added to it if that is
// not nil.
func (o *output) writeLine(line, member []byte, isFirst bool) error {
	if o == nil {
		return nil
	}
	if o.records != nil {
		return o.hand(withoutMark(line), member)
	}
	if o.array {
		line = bytes.TrimRight(withoutMark(line), " \t\r\n") // what is around a line is no part of an element
	}
	if o.frame.between != "" && *o.written-o.start > uint64(len(o.frame.open)) && isFirst {
		if err := o.write([]byte(o.frame.between)); err != nil {
			return err
		}
	}
	return o.writeAnnotated(line, member)
}

// hand hands over a record, with member added to it if that is not nil.
func (o *output) hand(record, member []byte) error {
	if len(member) > 0 {
		parts := withMember(record, member)
		record = bytes.Join(parts[:], nil)
	}
	*o.written += uint64(len(record))
	if err := o.records.WriteRecord(record); err != nil {
		return recordError{writeError{o.name, err}}
	}
	return nil
}

// end writes what stands after the records of a run that is complete. It does not count as
// written, since a run that is resumed may go on with records.
func (o *output) end() error {
	if o == nil || o.frame.close == "" {
		return nil
	}
	if _, err := o.w.WriteString(o.frame.close); err != nil {
		return writeError{o.name, err}
	}
	return o.flush()
}
