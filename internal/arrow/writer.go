package arrow

import (
	"errors"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// Limits of the batches written: the maximum number of rows, and the bytes that end a batch.
const (
	batchRows  = 10_000
	batchBytes = 16 << 20
)

// A Writer writes rows as a stream or a file. Only one goroutine may use it.
type Writer struct {
	schema  *arrow.Schema
	write   func(arrow.RecordBatch) error
	end     func() error // of the stream or file
	columns []*column
	rows    int
	size    int64
	limit   int64
}

// NewWriter returns a Writer for rows with the schema of like, compressed in the same way.
func NewWriter(w io.Writer, like *Reader, form Form) (*Writer, error) {
	return newWriter(w, like.schema, form, like.in.limits, like.in.first.compression())
}

func newWriter(w io.Writer, schema *arrow.Schema, form Form, l limits, opts []ipc.Option) (*Writer, error) {
	opts = append(opts, ipc.WithSchema(schema))
	out := &Writer{schema: schema, limit: l.message}
	for _, f := range schema.Fields() {
		out.columns = append(out.columns, newColumn(f.Type, &out.size, l.message))
	}
	if form == Stream {
		messages := ipc.NewWriter(w, opts...)
		out.write, out.end = messages.Write, messages.Close
		return out, nil
	}
	file, err := ipc.NewFileWriter(w, opts...)
	if err == nil {
		out.write, out.end = file.Write, file.Close
	}
	return out, err
}

// Write writes rows [from, to) of a batch.
func (w *Writer) Write(b *Batch, from, to int) (err error) {
	defer recovered(&err)
	for i, c := range w.columns {
		if w.rows > 0 && !c.fits(b.columns[i]) {
			if err := w.flush(); err != nil {
				return err
			}
			break
		}
	}
	for from < to {
		n := min(to-from, rowsAtATime, batchRows-w.rows)
		for i, c := range w.columns {
			c.append(b.columns[i], from, from+n)
		}
		w.rows += n
		from += n
		if err := w.flushFull(); err != nil {
			return err
		}
	}
	return nil
}

// rowsAtATime is the number of rows copied before the size of the batch is checked.
const rowsAtATime = 64

func (w *Writer) flushFull() error {
	if w.rows < batchRows && w.size < batchBytes {
		return nil
	}
	return w.flush()
}

// flush writes the collected rows as a batch.
func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	arrays := make([]arrow.Array, len(w.columns))
	for i, c := range w.columns {
		arrays[i] = array.MakeFromData(c.values())
	}
	batch := array.NewRecordBatch(w.schema, arrays, int64(w.rows))
	w.rows, w.size = 0, 0
	err := w.write(batch)
	for _, c := range w.columns {
		c.reset()
	}
	return explain(err)
}

// Close writes the remaining rows and the end of the output.
func (w *Writer) Close() (err error) {
	defer recovered(&err)
	if err := w.flush(); err != nil {
		return err
	}
	return w.end()
}

// explain adds what to do about different dictionaries, since a file has one for each column.
func explain(err error) error {
	if err != nil && isReplaced(err) {
		return errors.New("the dictionary of a column changes on the way, and an arrow file has one for each: " +
			"write a stream, by naming the output .arrows")
	}
	return err
}

// isReplaced recognizes the library's error, which has no exported value.
func isReplaced(err error) bool {
	return strings.Contains(err.Error(), "Dictionary replacement detected")
}
