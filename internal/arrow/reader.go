package arrow

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// A Reader reads the record batches of an input in order. Only one goroutine may use it.
type Reader struct {
	in      *messages
	ipc     *ipc.Reader
	schema  *arrow.Schema
	checked map[arrow.ArrayData]bool // dictionaries already checked
	err     error                    // why there are no more batches
}

// A Batch is an immutable set of rows, whose buffers have been checked.
type Batch struct {
	schema  *arrow.Schema
	columns []arrow.ArrayData
	rows    int
	bytes   int // of its message, including decompressed buffers
}

// Rows returns the number of rows in the batch.
func (b *Batch) Rows() int { return b.rows }

// newReader reads the schema of an input.
func newReader(in io.Reader, l limits) (*Reader, error) {
	b := newBudget(l)
	m, err := newMessages(in, l, b)
	if err != nil {
		return nil, err
	}
	return readSchema(m, b)
}

// newFileReader reads the schema of a file of size bytes, for which IsFile is true, by its footer.
func newFileReader(in io.ReaderAt, size int64, l limits) (*Reader, error) {
	b := newBudget(l)
	m, err := newFileMessages(in, size, l, b)
	if err != nil {
		return nil, err
	}
	return readSchema(m, b)
}

func readSchema(m *messages, b *budget) (r *Reader, err error) {
	defer recovered(&err)
	stream, err := ipc.NewReaderFromMessageReader(m, ipc.WithAllocator(b))
	switch {
	case m.err != nil:
		return nil, m.err
	case errors.Is(err, io.EOF):
		return nil, errBreaksOff
	case err != nil:
		return nil, fmt.Errorf("its schema cannot be read: %w", asError(err))
	}
	return &Reader{in: m, ipc: stream, schema: stream.Schema()}, nil
}

// Schema returns the schema of the input.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Form reports whether the input is a stream or a file.
func (r *Reader) Form() Form { return r.in.form }

// Read returns the next batch, or io.EOF after the last one.
func (r *Reader) Read() (*Batch, error) {
	if r.err != nil {
		return nil, r.err
	}
	b, err := r.read()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("record batch %d: %w", max(1, r.in.batches), err)
	}
	r.err = err
	return b, err
}

func (r *Reader) read() (b *Batch, err error) {
	defer recovered(&err)
	batch, err := r.ipc.Read()
	switch {
	case r.in.err != nil:
		return nil, r.in.err
	case r.in.ended && (err == nil && batch == nil || errors.Is(err, io.EOF)):
		return nil, io.EOF
	case err != nil:
		return nil, asError(err)
	}
	b = &Batch{schema: r.schema, rows: int(batch.NumRows()), bytes: int(r.in.message + r.in.budget.spent)}
	checks := checker{known: r.checked, limit: r.in.limits.message}
	for i, column := range batch.Columns() {
		data := column.Data()
		data.Retain() // Read releases the previous batch
		if err := checks.column(data, b.rows); err != nil {
			return nil, fmt.Errorf("column %q: %w", r.schema.Field(i).Name, err)
		}
		b.columns = append(b.columns, data)
	}
	r.checked = checks.used
	return b, nil
}
