package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Limits on the text or JSON, and on the rows, that ReadRecords returns at a time.
const batchText, rowsARead = 256 << 10, 1024

// A Table holds what the inputs of a run share: they are read as one, with the schema of the first.
type Table struct{ *columnar.Table[*Reader] }

// NewTable returns a Table for inputs that a run reads as wanted.
func NewTable(of columnar.RowNeeds) *Table { return &Table{&columnar.Table[*Reader]{RowNeeds: of}} }

// Open reads the schema of an input. Closing the reader closes the input; if Open fails the caller
// has to.
func (t *Table) Open(name string, in io.ReadCloser) (stream.RecordReader, error) {
	file, err := newReader(in, newLimits(t.MaxRecord))
	if err != nil {
		return nil, err
	}
	return t.open(name, file, in.Close)
}

// OpenFile is Open for a file of size bytes for which IsFile is true.
func (t *Table) OpenFile(name string, in io.ReaderAt, size int64, close func() error) (stream.RecordReader, error) {
	file, err := openFile(in, size, newLimits(t.MaxRecord))
	if err != nil {
		return nil, err
	}
	return t.open(name, file, close)
}

// openFile reads a file by its footer, or like a stream if it has none.
func openFile(in io.ReaderAt, size int64, l limits) (*Reader, error) {
	file, err := newFileReader(in, size, l)
	if !errors.Is(err, errNoFooter) {
		return file, err
	}
	head := make([]byte, min(size, HeadBytes))
	if failed := readAt(in, head, 0); failed != nil || needsFooter(head) {
		return nil, err
	}
	return newReader(io.NewSectionReader(in, 0, size), l)
}

// Expect reads the schema of an input that will be opened later. It reports no damage, since
// opening the input will.
func (t *Table) Expect(name string, in io.Reader) error {
	file, err := newReader(in, newLimits(t.MaxRecord))
	if err != nil {
		return nil
	}
	return t.Table.Expect(name, file.schemaAlone())
}

// ExpectFile is Expect for a file of size bytes for which IsFile is true.
func (t *Table) ExpectFile(name string, in io.ReaderAt, size int64) error {
	file, err := openFile(in, size, newLimits(t.MaxRecord))
	if err != nil {
		return nil
	}
	return t.Table.Expect(name, file.schemaAlone())
}

func (t *Table) open(name string, file *Reader, close func() error) (stream.RecordReader, error) {
	r := &reader{file: file, close: close, json: jsonWriter{schema: file.Schema(), texts: map[int]bool{}}}
	var err error
	r.Texts, err = columnar.Join(t.Table, name, file, columnar.Input[*Batch](r))
	return r, err
}

// rows are a range of a batch.
type rows struct {
	batch    *Batch
	from, to int
}

// Len returns the number of rows.
func (r *rows) Len() int { return r.to - r.from }

// A reader reads the rows of one input.
type reader struct {
	columnar.Texts[*Batch]
	file  *Reader
	close func() error
	json  jsonWriter
	batch *Batch // the current batch
	at    int    // its next row
	spent int64  // bytes of the input accounted for so far
}

// Find implements columnar.Input.
func (r *reader) Find(path record.Field, use columnar.Use) (columnar.Field[*Batch], error) {
	f, err := fieldOf(r.file.Schema(), path, use)
	if err == nil && use != columnar.AsName {
		r.json.texts[f.column] = true
	}
	return f, err
}

// AppendJSON appends row i on a line of its own. It panics if the row exceeds the limit.
func (r *reader) AppendJSON(dst []byte, b *Batch, i int) []byte {
	r.json.maxBytes = len(dst) + int(r.file.in.limits.row)
	return r.json.append(dst, b, i)
}

func (r *reader) ReadRecords(_ context.Context, to *stream.Records) error {
	for r.batch == nil || r.at == r.batch.rows {
		r.batch, r.at = nil, 0
		var err error
		if r.batch, err = r.file.Read(); err != nil {
			return err
		}
	}
	from, start := r.at, len(to.Buf)
	var err error
	for r.at < r.batch.rows && r.at-from < rowsARead && len(to.Buf)-start < batchText && err == nil {
		err = r.appendRow(to)
	}
	to.Bytes, to.Head = uint64(r.file.in.bytes-r.spent), r.file.in.mark
	r.spent = r.file.in.bytes
	if !r.AsJSON() && r.at > from {
		to.Tag, to.Held = &rows{r.batch, from, r.at}, r.held(from)
	}
	return err
}

// held returns the memory that rows keep alive: all of the batch once it is read completely, so
// that few batches are alive at a time.
func (r *reader) held(from int) int {
	if r.at == r.batch.rows {
		return r.batch.bytes
	}
	return int(int64(r.batch.bytes) * int64(r.at-from) / int64(r.batch.rows))
}

// appendRow appends the text of a row, the row as JSON, and the values of the named fields to the
// buffer.
func (r *reader) appendRow(to *stream.Records) (err error) {
	named := len(to.Named)
	defer func() {
		if p := recover(); p != nil {
			to.Named = to.Named[:named]
			err = fmt.Errorf("record batch %d, row %d: %w", r.file.in.batches, r.at+1, asError(p))
		}
	}()
	r.Append(to, r.batch, r.at)
	r.at++
	return nil
}

// Skip skips rows.
func (r *reader) Skip(at stream.Position) error {
	for left := at.Records; left > 0; {
		b, err := r.file.Read()
		switch {
		case errors.Is(err, io.EOF) || err == nil && at.Head != r.file.in.mark:
			return stream.CannotResume(
				"%s is not the input of the run to be resumed, or has changed: give it the same file",
				at.Name)
		case err != nil:
			return err
		}
		r.batch, r.at = b, int(min(left, uint64(b.rows)))
		left -= uint64(r.at)
	}
	return nil
}

func (r *reader) Close() error {
	r.file.ipc, r.batch = nil, nil // the Table may keep the first reader
	return r.close()
}
