package stream

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

var newline = []byte{'\n'}

// outputBuffer is large enough for one system call to carry many records. A run of records that is
// larger bypasses the buffer.
const outputBuffer = 128 << 10

// A RecordWriter is an output that takes whole records, one at a time, as lines of JSON. It needs
// Options.Convert. If it returns an error, the run reports the record's position with it.
type RecordWriter interface {
	io.Writer // which is not used
	WriteRecord(record []byte) error
	Flush() error // as in a Sink
}

// An output is one of the streams that a run writes, and the last link of its branch. A nil *output
// discards everything.
type output struct {
	passive
	name    string        // for messages: "output", "duplicates", …
	records RecordWriter  // the output, if it is one
	w       *bufio.Writer // or else takes it
	gated   *gated        // under w; nil if nothing is ever held back
	written *uint64
	start   uint64 // of what is written, where the shard that is written begins
	run     []byte // neighbouring records of a batch, which leave in one write

	frame record.Frame
	union *RowUnion // its header replaces that of the input; may be nil
	array bool      // records leave as elements of an array
	plain bool      // no header stands before the records, which have another form than in the input
}

// A writeError is a failed write. Nothing more is written after it, to any output.
type writeError struct {
	name string
	err  error
}

func (e writeError) Error() string { return "write " + e.name + ": " + e.err.Error() }
func (e writeError) Unwrap() error { return e.err }

// A recordError is the error of a RecordWriter about a record.
type recordError struct{ writeError }

// newLaneOutput returns the output of a lane, or nil if that is not written. Shards bypass the
// gate, since what it holds back would have to be divided again.
func newLaneOutput(p plan) *output {
	name, w, written, _ := p.writer()
	held := p.gate
	if p.lane == toOutput && p.Shards != nil {
		held = nil
	}
	o := newOutput(name, w, written, held)
	if o == nil {
		return nil
	}
	if p.lane == toOutput && p.Shards != nil {
		o.start = *written - p.From.Shard.Bytes
	}
	if o.plain = p.converts(p.lane); !o.plain {
		o.frame = p.Format.Frame()
	}
	if p.unites(p.lane) {
		o.union = p.Union
	}
	switch {
	case p.lane == toOutput && p.EditedOnly: // the output is not a record any more
		o.frame, o.plain = record.Frame{}, true
	case p.lane != toRejects && p.Array:
		o.frame, o.array, o.plain = record.ArrayFrame, true, true
	}
	return o
}

// newOutput returns an output that adds to written all bytes written, including buffered ones.
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

// process writes a record in its current form, as often as it is to be repeated.
func (o *output) process(r *passing) error {
	for range max(1, r.times) {
		if err := o.writeOnce(r); err != nil {
			return err
		}
	}
	return nil
}

func (o *output) writeOnce(r *passing) error {
	line := r.line
	switch {
	case len(line) == 0:
		return nil
	case o.records != nil:
		return o.emit(record.TrimBOM(line), r.members)
	case r.own && len(r.members) == 0 && o.frame.Between == "" && !o.array:
		return o.follow(line)
	case o.array:
		line = bytes.TrimRight(record.TrimBOM(line), " \t\r\n") // white space around a line is not part of an element
	}
	if o.frame.Between != "" && o.sinceStart() > uint64(len(o.frame.Open)) && r.isFirst() {
		if err := o.write([]byte(o.frame.Between)); err != nil {
			return err
		}
	}
	return o.writeAnnotated(line, r.members)
}

// follow writes a record as it is in its batch. It collects records that are adjacent there, to
// write them together.
func (o *output) follow(line []byte) error {
	n := len(o.run)
	if n > 0 && cap(o.run) > n && &o.run[:n+1][n] == &line[0] {
		o.run = o.run[:n+len(line)]
		return nil
	}
	err := o.done()
	o.run = line
	return err
}

// done writes the adjacent records that were collected.
func (o *output) done() error {
	if o == nil || len(o.run) == 0 {
		return nil
	}
	run := o.run
	o.run = nil
	return o.put(run)
}

func (o *output) write(p []byte) error {
	if o == nil || len(p) == 0 {
		return nil
	}
	if err := o.done(); err != nil {
		return err
	}
	return o.put(p)
}

func (o *output) put(p []byte) error {
	n, err := o.w.Write(p)
	*o.written += uint64(n)
	if err != nil {
		return writeError{o.name, err}
	}
	return nil
}

// sinceStart returns how many bytes of the current shard have been written.
func (o *output) sinceStart() uint64 {
	if o == nil {
		return 0
	}
	return *o.written - o.start + uint64(len(o.run))
}

func (o *output) flush() error {
	if o == nil {
		return nil
	}
	if err := o.done(); err != nil {
		return err
	}
	var err error
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

// allowsBlankLines reports whether blank lines, which are no records, may stand between the records
// of the output.
func (o *Options) allowsBlankLines() bool {
	if o.Output == nil {
		return true
	}
	_, inRecords := o.Output.(RecordWriter)
	return !inRecords && !o.converts(toOutput) && (!o.Array || o.EditedOnly)
}

// begin writes what precedes the records, with the first header that a batch has. It waits for a
// record or a header, since an input with neither may be unreadable.
func (o *output) begin(b *batch) error {
	if len(b.records) == 0 && b.table == nil {
		return nil
	}
	return o.open(b.header())
}

// open writes what precedes the records, unless something has been written already.
func (o *output) open(header []byte) error {
	if o == nil || o.sinceStart() > 0 {
		return nil
	}
	if o.plain {
		header = nil
	} else if o.union != nil && len(header) > 0 {
		header = o.union.Header()
	}
	return errors.Join(o.write([]byte(o.frame.Open)), o.write(header))
}

// emit writes a record, with member inserted if that is not nil.
func (o *output) emit(record, member []byte) error {
	if len(member) > 0 {
		parts := jsontext.WithMembers(record, member)
		record = bytes.Join(parts[:], nil)
	}
	*o.written += uint64(len(record))
	if err := o.records.WriteRecord(record); err != nil {
		return recordError{writeError{o.name, err}}
	}
	return nil
}

// end completes the output, even if it has no records.
func (o *output) end() error { return errors.Join(o.open(nil), o.close()) }

// close writes what follows the records of a complete run. That does not count as written, since a
// resumed run may continue with records.
func (o *output) close() error {
	if o == nil || o.frame.Close == "" {
		return nil
	}
	if err := o.done(); err != nil {
		return err
	}
	if _, err := o.w.WriteString(o.frame.Close); err != nil {
		return writeError{o.name, err}
	}
	return o.flush()
}

// restart continues with another writer as if nothing had been written. It does not replace a
// RecordWriter, which made that writer itself.
func (o *output) restart(w io.Writer) {
	if o == nil {
		return
	}
	if o.records == nil {
		o.w.Reset(w)
	}
	o.start = *o.written
}
