package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Table is what the files of a run have in common: they are read as one, and have the schema of
// the first.
type Table struct {
	fields    []stream.Field
	maxRecord int
	asJSON    bool
	keyed     bool
	spare     sync.Pool // of *Rows

	mu    sync.Mutex
	first *File // that was opened, with all fields
	name  string
}

// NewTable is for files that have texts in the given fields. asJSON says that records are handed
// over as lines of JSON too; otherwise they are to be written by a Sink. A text of more than
// maxRecord bytes is a record that cannot be read.
func NewTable(fields []stream.Field, maxRecord int, asJSON bool) *Table {
	return &Table{fields: fields, maxRecord: maxRecord, asJSON: asJSON}
}

// Keyed has the fields hold numbers, booleans, times and bytes too: their texts are what stands in
// JSON for them.
func (t *Table) Keyed() { t.keyed = true }

// Open reads the footer of a file of size bytes. Closing the reader calls close; where Open fails,
// that is left to the caller.
func (t *Table) Open(name string, file io.ReaderAt, size int64, close func() error) (stream.RecordReader, error) {
	f, err := openWith(newBudget(t.maxRecord), file, size)
	if err != nil {
		return nil, err
	}
	r := &reader{table: t, file: f, close: close, head: xxh3.Hash(f.footer.raw), isFirst: t.like() == nil}
	find := f.Schema().textField
	if t.keyed {
		find = f.Schema().keyField
	}
	for _, path := range t.fields {
		text, err := find(path)
		if err != nil {
			return nil, r.refuse(err)
		}
		r.fields = append(r.fields, text)
	}
	if t.asJSON {
		r.json = &jsonWriter{schema: f.Schema()}
		for _, text := range r.fields {
			r.json.hasText(text.column)
		}
	}
	return r, t.join(name, f)
}

// join makes sure that the rows of a file can stand in one table with those of the first.
func (t *Table) join(name string, f *File) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first == nil {
		t.first, t.name = f, name
		return nil
	}
	if d := t.first.Difference(f); d != "" && !t.asJSON {
		return fmt.Errorf("its schema is not that of %s: %s; read it in a run of its own, or use --to jsonl", t.name, d)
	}
	return nil
}

// like is the first file that was opened, with all fields, or nil.
func (t *Table) like() *File {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first
}

// put takes rows back.
func (t *Table) put(rows *Rows) {
	for i := range rows.columns {
		rows.columns[i].dropLarge()
	}
	t.spare.Put(rows)
}

// rows returns memory for some rows.
func (t *Table) rows() *Rows {
	if rows, ok := t.spare.Get().(*Rows); ok {
		return rows
	}
	return new(Rows)
}

// A reader hands over the rows of one file.
type reader struct {
	table  *Table
	file   *File
	close  func() error
	head   uint64 // tells the file from others
	fields []field
	json   *jsonWriter // nil if a Sink writes the rows
	named  []field
	values jsonWriter // of those

	isFirst bool // of the table
}

// refuse is about a field that a file does not have. If that is the first file the field is wrong,
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
		f, err := r.file.Schema().nameField(path)
		if err != nil {
			return r.refuse(err)
		}
		r.named = append(r.named, f)
		r.values.hasText(f.column)
	}
	return nil
}

func (r *reader) ReadRecords(_ context.Context, to *stream.Records) error {
	rows := r.table.rows()
	err := r.file.Read(rows)
	for i := range rows.n {
		to.List = append(to.List, r.record(to, rows, i))
		r.name(to, rows, i)
	}
	to.Bytes, to.Head = uint64(rows.bytes), r.head
	if r.json == nil && rows.n > 0 {
		to.Tag, to.Held = rows, rows.bytes // the Sink gives them back
	} else {
		r.table.put(rows)
	}
	return err
}

// record appends the text of row i to the buffer, and the row as JSON.
func (r *reader) record(to *stream.Records, rows *Rows, i int) (rec stream.Record) {
	if r.json != nil {
		rec.Raw.Start = len(to.Buf)
		to.Buf = r.json.append(to.Buf, rows, i)
		rec.Raw.End = len(to.Buf)
	}
	rec.Text.Start = len(to.Buf)
	for f, field := range r.fields {
		if f > 0 {
			to.Buf = append(to.Buf, '\n')
		}
		var isThere bool
		to.Buf, isThere = field.appendText(to.Buf, rows, i)
		switch {
		case !isThere && len(field.at) > 0:
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
func (r *reader) name(to *stream.Records, rows *Rows, i int) {
	for _, field := range r.named {
		span := stream.Span{Start: len(to.Buf)}
		for value := range field.values(rows, i) {
			if len(value) <= r.table.maxRecord {
				to.Buf = r.values.appendValue(to.Buf, field.column, value)
			}
		}
		span.End = len(to.Buf)
		to.Named = append(to.Named, span)
	}
}

func (r *reader) Skip(at stream.Position) error {
	if at.Head != r.head {
		return stream.CannotResume(
			"%s is not the input of the run to be resumed, or has changed: give it the same file",
			at.Name)
	}
	return r.file.Skip(at.Records)
}

func (r *reader) Close() error {
	r.file.Close()
	return r.close()
}

// errNoSchema is a table of which no file could be opened.
var errNoSchema = errors.New("no input could be opened, so that there is no schema for an output")
