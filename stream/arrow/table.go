package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mithril-stream/mithril-stream/stream"
)

// ReadRecords hands over about batchText of text or JSON at a time, and at most rowsARead rows.
const batchText, rowsARead = 256 << 10, 1024

// A Table is what the inputs of a run have in common: they are read as one, and have the schema of
// the first.
type Table struct {
	fields    []stream.Field
	maxRecord int
	asJSON    bool
	keyed     bool

	mu    sync.Mutex
	first *Reader // that was opened, with all fields
	name  string
}

// NewTable is for inputs that have texts in the given fields. asJSON says that records are handed
// over as lines of JSON too; otherwise they are to be written by a Sink. A text of more than
// maxRecord bytes is a record that cannot be read.
func NewTable(fields []stream.Field, maxRecord int, asJSON bool) *Table {
	return &Table{fields: fields, maxRecord: maxRecord, asJSON: asJSON}
}

// Keyed has the fields hold numbers, booleans, times and bytes too: their texts are what stands in
// JSON for them.
func (t *Table) Keyed() { t.keyed = true }

// Open reads the schema of an input. Closing the reader closes it; where Open fails, that is left
// to the caller.
func (t *Table) Open(name string, in io.ReadCloser) (stream.RecordReader, error) {
	file, err := newReader(in, newLimits(t.maxRecord))
	if err != nil {
		return nil, err
	}
	return t.open(name, file, in.Close)
}

// OpenFile is Open for a file of so many bytes, of which NeedsFooter is true.
func (t *Table) OpenFile(name string, in io.ReaderAt, size int64, close func() error) (stream.RecordReader, error) {
	file, err := newFileReader(in, size, newLimits(t.maxRecord))
	if err != nil {
		return nil, err
	}
	return t.open(name, file, close)
}

func (t *Table) open(name string, file *Reader, close func() error) (stream.RecordReader, error) {
	r := &reader{table: t, file: file, close: close, isFirst: t.like() == nil}
	find := textField
	if t.keyed {
		find = keyField
	}
	for _, path := range t.fields {
		text, err := find(file.Schema(), path)
		if err != nil {
			return nil, r.refuse(err)
		}
		r.fields = append(r.fields, text)
	}
	if t.asJSON {
		r.json = &jsonWriter{schema: file.Schema(), texts: map[int]bool{}}
		for _, text := range r.fields {
			r.json.texts[text.column] = true
		}
	}
	return r, t.join(name, file)
}

// join makes sure that the rows of an input can stand in one table with those of the first.
func (t *Table) join(name string, r *Reader) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first == nil {
		t.first, t.name = r, name
		return nil
	}
	if d := difference(t.first.schema, r.schema); d != "" && !t.asJSON {
		return fmt.Errorf("its schema is not that of %s: %s; read it in a run of its own, or use --to jsonl", t.name, d)
	}
	return nil
}

// like is the first input that was opened, with all fields, or nil.
func (t *Table) like() *Reader {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first
}

// rows are some of a batch, as they are handed over.
type rows struct {
	batch    *Batch
	from, to int
}

// A reader hands over the rows of one input.
type reader struct {
	table  *Table
	file   *Reader
	close  func() error
	fields []field
	json   *jsonWriter // nil if a Sink writes the rows
	named  []field
	batch  *Batch // the one at hand
	at     int    // the next row of it
	taken  int64  // bytes of the input that were accounted for

	isFirst bool // of the table
}

// refuse is about a field that an input does not have. If that is the first one the field is wrong,
// and the run ends.
func (r *reader) refuse(err error) error {
	if r.isFirst {
		return stream.Fatal(err)
	}
	return err
}

// Name has the values of some fields handed over.
func (r *reader) Name(fields []stream.Field) error {
	for _, path := range fields {
		f, err := nameField(r.file.Schema(), path)
		if err != nil {
			return r.refuse(err)
		}
		r.named = append(r.named, f)
	}
	return nil
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
	to.Bytes, to.Head = uint64(r.file.in.bytes-r.taken), r.file.in.mark
	r.taken = r.file.in.bytes
	if r.json == nil && r.at > from {
		to.Tag, to.Held = &rows{r.batch, from, r.at}, r.held(from)
	}
	return err
}

// held is the memory that some rows keep alive: the whole batch once another one may follow, so
// that few of them are alive at a time.
func (r *reader) held(from int) int {
	if r.at == r.batch.rows {
		return r.batch.bytes
	}
	return int(int64(r.batch.bytes) * int64(r.at-from) / int64(r.batch.rows))
}

// appendRow appends the text of a row to the buffer, the row as JSON, and the values of the named
// fields.
func (r *reader) appendRow(to *stream.Records) (err error) {
	named := len(to.Named)
	defer func() {
		if p := recover(); p != nil {
			to.Named = to.Named[:named]
			err = fmt.Errorf("record batch %d, row %d: %w", r.file.in.batches, r.at+1, asError(p))
		}
	}()
	rec := r.record(to, r.at)
	r.name(to, r.at)
	to.List = append(to.List, rec)
	r.at++
	return nil
}

func (r *reader) record(to *stream.Records, i int) (rec stream.Record) {
	if r.json != nil {
		rec.Raw.Start = len(to.Buf)
		r.json.most = len(to.Buf) + int(r.file.in.limits.row)
		to.Buf = r.json.append(to.Buf, r.batch, i)
		rec.Raw.End = len(to.Buf)
	}
	rec.Text.Start = len(to.Buf)
	for f, field := range r.fields {
		if f > 0 {
			to.Buf = append(to.Buf, '\n')
		}
		var isThere bool
		to.Buf, isThere = field.appendText(to.Buf, r.batch, i, r.table.maxRecord)
		switch {
		case !isThere && field.lists:
			rec.Problem = stream.FieldMissing(f)
		case !isThere:
			rec.Problem = stream.FieldNull(f)
		case len(to.Buf)-rec.Text.Start > r.table.maxRecord:
			rec.Problem = stream.TooLong
		default:
			continue
		}
		to.Buf = to.Buf[:rec.Text.Start]
		break
	}
	rec.Text.End = len(to.Buf)
	return rec
}

// name appends the values of the named fields of row i.
func (r *reader) name(to *stream.Records, i int) {
	for _, field := range r.named {
		span := stream.Span{Start: len(to.Buf)}
		to.Buf = field.appendName(to.Buf, r.batch, i, r.table.maxRecord)
		span.End = len(to.Buf)
		to.Named = append(to.Named, span)
	}
}

// Skip passes over rows.
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

// errNoSchema is a table of which no input could be opened.
var errNoSchema = errors.New("no input could be opened, so that there is no schema for an output")
