package parquet

import (
	"context"
	"io"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Table is what the files of a run have in common: they are read as one, and have the schema of
// the first.
type Table struct {
	*columnar.Table[*File]
	spare chan *Rows // which a sync.Pool would lose at each collection
}

// spareRows is how many Rows that are written are kept for others: about as many as are under way
// at a time.
const spareRows = 16

// NewTable is for files of which a run wants something.
func NewTable(of columnar.Wanted) *Table {
	return &Table{Table: &columnar.Table[*File]{Wanted: of}, spare: make(chan *Rows, spareRows)}
}

// Open reads the footer of a file of size bytes. Closing the reader calls close; where Open fails,
// that is left to the caller.
func (t *Table) Open(name string, file io.ReaderAt, size int64, close func() error) (stream.RecordReader, error) {
	f, err := openWith(newBudget(t.MaxRecord), file, size)
	if err != nil {
		return nil, err
	}
	r := &reader{table: t, file: f, close: close, head: xxh3.Hash(f.footer.raw), json: jsonWriter{schema: f.Schema()}}
	r.Texts, err = columnar.Join(t.Table, name, f, columnar.Input[*Rows](r))
	return r, err
}

// Expect reads the schema of a file that is opened later. What is wrong with the file itself comes
// out then.
func (t *Table) Expect(name string, file io.ReaderAt, size int64) error {
	footer, err := readFooter(file, size)
	if err != nil {
		return nil
	}
	return t.Table.Expect(name, &File{footer: footer})
}

// Done takes rows back that are written.
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

// A reader hands over the rows of one file.
type reader struct {
	columnar.Texts[*Rows]
	table *Table
	file  *File
	close func() error
	head  uint64 // tells the file from others
	json  jsonWriter
	found []int // columns that something is taken of, if others are not read
}

// Find finds a column, as columnar.Input says.
func (r *reader) Find(path stream.Field, use columnar.Use) (columnar.Field[*Rows], error) {
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

// reads notes that something is taken of a column.
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
		to.Tag, to.Held = rows, rows.bytes // the sink gives them back
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
