package parquet

import (
	"context"
	"io"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Table holds what the files of a run share: they are read as one, with the schema of the first.
type Table struct {
	*columnar.Table[*File]
	ArrowTypes ArrowTypes // may be nil
	spare      chan *Rows // a sync.Pool would lose them at each garbage collection
}

// spareRows is how many written Rows are kept for reuse, about as many as are in use at a time.
const spareRows = 16

// NewTable returns a Table for files that a run reads as wanted.
func NewTable(of columnar.RowNeeds) *Table {
	return &Table{Table: &columnar.Table[*File]{RowNeeds: of}, spare: make(chan *Rows, spareRows)}
}

// Open reads the footer of a file of size bytes. Closing the reader calls close; if Open fails the
// caller has to.
func (t *Table) Open(name string, file io.ReaderAt, size int64, close func() error) (stream.RecordReader, error) {
	f, err := openWith(newBudget(t.MaxRecord), file, size)
	if err != nil {
		return nil, err
	}
	f.arrowTypes = t.ArrowTypes
	r := &reader{table: t, file: f, close: close, head: xxh3.Hash(f.footer.raw), json: jsonWriter{schema: f.Schema()}}
	r.Texts, err = columnar.Join(t.Table, name, f, columnar.Input[*Rows](r))
	return r, err
}

// Expect reads the schema of a file that will be opened later. It reports no damage, since opening
// the file will.
func (t *Table) Expect(name string, file io.ReaderAt, size int64) error {
	footer, err := readFooter(file, size)
	if err != nil {
		return nil
	}
	return t.Table.Expect(name, &File{footer: footer, arrowTypes: t.ArrowTypes})
}

// Done returns written rows for reuse.
func (t *Table) Done(rows *Rows) {
	for i := range rows.columns {
		rows.columns[i].dropLarge()
	}
	select {
	case t.spare <- rows:
	default:
	}
}

// rows returns memory for some rows.
func (t *Table) rows() *Rows {
	select {
	case rows := <-t.spare:
		return rows
	default:
		return new(Rows)
	}
}

// A reader reads the rows of one file.
type reader struct {
	columnar.Texts[*Rows]
	table *Table
	file  *File
	close func() error
	head  uint64 // identifies the file
	json  jsonWriter
	found []int // columns in use, if the others are not read
}

// Find implements columnar.Input.
func (r *reader) Find(path record.Field, use columnar.Use) (columnar.Field[*Rows], error) {
	f, err := r.file.Schema().field(path, use)
	if err != nil {
		return f, err
	}
	if use != columnar.AsName {
		r.json.hasText(f.column)
	}
	r.reads(f.column)
	return f, nil
}

// reads records that a column is in use.
func (r *reader) reads(c *column) {
	if r.table.FieldsOnly {
		r.found = append(r.found, c.index)
		slices.Sort(r.found)
		r.found = slices.Compact(r.found)
		r.file.readOnly(r.found)
	}
}

// AppendJSON appends row i on a line of its own.
func (r *reader) AppendJSON(dst []byte, rows *Rows, i int) []byte { return r.json.append(dst, rows, i) }

func (r *reader) ReadRecords(_ context.Context, to *stream.Records) error {
	rows := r.table.rows()
	err := r.file.Read(rows)
	for i := range rows.n {
		r.Append(to, rows, i)
	}
	to.Bytes, to.Head = uint64(rows.bytes), r.head
	if !r.AsJSON() && !r.table.FieldsOnly && rows.n > 0 {
		to.Tag, to.Held = rows, rows.bytes // the sink returns them
	} else {
		r.table.Done(rows)
	}
	return err
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
