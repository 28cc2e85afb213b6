package parquet

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"math"
)

// A row group is written when it uses about heldBytes of memory, or would have about groupBytes
// without compression.
const (
	heldBytes  = 64 << 20
	groupBytes = 128 << 20
)

// Form configures how a file is written.
type Form struct {
	Program string // the program named as the writer in the file
	// GroupRows is the number of rows of a row group, and GroupBytes its approximate size before
	// compression; whichever is reached first ends the group. By default GroupRows is taken from
	// the largest row group of the file that this one is like, unless GroupBytes is set. GroupBytes
	// is 128 MiB by default, with at most 64 MiB held in memory.
	GroupRows  uint64
	GroupBytes int64
}

// A Writer writes rows to a file that is like another one: it has the same schema, metadata and
// compression. Only one goroutine may use it.
type Writer struct {
	w        *bufio.Writer
	at       int64 // bytes written
	like     *footer
	form     Form
	compress compressor
	columns  []chunkWriter
	rows     uint64 // of the current row group
	maxRows  uint64 // maximum rows of a row group
	total    uint64
	groups   []writtenGroup
}

// A writtenGroup is the footer's description of a row group.
type writtenGroup struct {
	rows        uint64
	start, size int64 // in the file
	unpacked    int64
	chunks      []writtenChunk
}

// A writtenChunk is the encoded metadata of a column chunk, and its indexes.
type writtenChunk struct{ metaData, columnIndex, offsetIndex []byte }

// NewWriter returns a Writer. It writes nothing to w before the first row group is full or Close is
// called.
func NewWriter(w io.Writer, like *File, form Form) *Writer {
	f := like.footer
	out := &Writer{w: bufio.NewWriterSize(w, 64<<10), like: f, form: form, maxRows: form.GroupRows,
		columns: make([]chunkWriter, len(f.schema.columns))}
	if out.maxRows == 0 && form.GroupBytes == 0 {
		out.maxRows = f.largest
	}
	out.maxRows = cmp.Or(out.maxRows, math.MaxInt32)
	var chunks []chunk
	for i := range f.groups {
		if g, err := f.group(i); err == nil && len(g.chunks) > 0 {
			chunks = g.chunks
			break
		}
	}
	for i, c := range f.schema.columns {
		w := &out.columns[i]
		w.column, w.compress, w.codec, w.compare = c, &out.compress, f.codec, c.order()
		w.mayIndex = f.codec != uncompressed && c.physical != boolean
		if chunks != nil {
			w.codec, w.mayIndex = chunks[i].codec.forOutput(), chunks[i].dictionary && c.physical != boolean
		}
		w.begin()
	}
	return out
}

// isFull reports whether the current row group should be written.
func (w *Writer) isFull() bool {
	held, size := 0, int64(0)
	for i := range w.columns {
		c := &w.columns[i]
		held += c.held()
		size += c.size
		if w.form.GroupBytes > 0 { // small ones are cut within a page
			size += int64(len(c.page.values) + c.page.indexed)
		}
	}
	switch {
	case w.rows == w.maxRows:
		return true
	case w.form.GroupBytes > 0:
		return size >= w.form.GroupBytes
	}
	return held >= heldBytes || size >= groupBytes
}

// Write writes rows from to to-1.
func (w *Writer) Write(rows *Rows, from, to int) error {
	for from < to {
		end := min(to, from+int(min(w.maxRows-w.rows, math.MaxInt32)))
		for i := range w.columns {
			if err := w.columns[i].append(&rows.columns[i], from, end); err != nil {
				return err
			}
		}
		w.rows += uint64(end - from)
		from = end
		if w.isFull() {
			if err := w.endGroup(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) write(p []byte) error {
	n, err := w.w.Write(p)
	w.at += int64(n)
	return err
}

// endGroup writes the current row group.
func (w *Writer) endGroup() error {
	if w.at == 0 {
		if err := w.write([]byte(magic)); err != nil {
			return err
		}
	}
	g := writtenGroup{rows: w.rows, start: w.at}
	for i := range w.columns {
		c, at := &w.columns[i], w.at
		dictionary, err := c.finish()
		if err != nil {
			return err
		}
		for _, part := range c.pages {
			if err := w.write(part); err != nil {
				return err
			}
		}
		g.chunks = append(g.chunks, writtenChunk{
			c.describe(at, dictionary), columnIndex(c.entries, c.compare), offsetIndex(c.entries, at+int64(dictionary)),
		})
		g.unpacked += c.size
		c.begin()
	}
	g.size = w.at - g.start
	w.groups = append(w.groups, g)
	w.total += w.rows
	w.rows = 0
	return w.w.Flush()
}

// Close writes the remaining rows and the footer. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.rows > 0 {
		if err := w.endGroup(); err != nil {
			return err
		}
	}
	if w.at == 0 {
		if err := w.write([]byte(magic)); err != nil {
			return err
		}
	}
	footer, err := w.endOfFile()
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	if err := w.write(append(footer, magic...)); err != nil {
		return err
	}
	return w.w.Flush()
}

// endOfFile writes the page indexes, grouped by kind, and returns the footer.
func (w *Writer) endOfFile() ([]byte, error) {
	columnIndexes, err := w.writeIndexes(func(c *writtenChunk) []byte { return c.columnIndex })
	if err != nil {
		return nil, err
	}
	offsetIndexes, err := w.writeIndexes(func(c *writtenChunk) []byte { return c.offsetIndex })
	if err != nil {
		return nil, err
	}
	var t thriftWriter
	t.open()
	t.i32(1, w.like.version)
	t.raw(2, thriftList, w.like.schema.raw)
	t.i64(3, int64(w.total))
	t.list(4, thriftStruct, len(w.groups))
	for i := range w.groups {
		w.groups[i].describe(&t, &columnIndexes, &offsetIndexes)
	}
	if w.like.keyValues != nil {
		t.raw(5, thriftList, w.like.keyValues)
	}
	t.string(6, w.form.Program)
	t.list(7, thriftStruct, len(w.columns))
	for range w.columns { // the order defined by the type (TypeDefinedOrder)
		t.open()
		t.beginStruct(1)
		t.close()
		t.close()
	}
	t.close()
	return t.buf, nil
}

// writeIndexes writes all indexes of one kind, and returns where they begin.
func (w *Writer) writeIndexes(of func(*writtenChunk) []byte) (at int64, err error) {
	at = w.at
	for _, g := range w.groups {
		for i := range g.chunks {
			if err := w.write(of(&g.chunks[i])); err != nil {
				return 0, err
			}
		}
	}
	return at, nil
}

// describe writes the RowGroup, whose indexes are at these offsets, and advances the offsets.
func (g *writtenGroup) describe(t *thriftWriter, columnIndexes, offsetIndexes *int64) {
	t.open()
	t.list(1, thriftStruct, len(g.chunks))
	for _, c := range g.chunks {
		t.open() // ColumnChunk
		t.i64(2, 0)
		t.raw(3, thriftStruct, c.metaData)
		t.i64(4, *offsetIndexes)
		t.i32(5, int32(len(c.offsetIndex)))
		*offsetIndexes += int64(len(c.offsetIndex))
		if len(c.columnIndex) > 0 {
			t.i64(6, *columnIndexes)
			t.i32(7, int32(len(c.columnIndex)))
			*columnIndexes += int64(len(c.columnIndex))
		}
		t.close()
	}
	t.i64(2, g.unpacked)
	t.i64(3, int64(g.rows))
	t.i64(5, g.start)
	t.i64(6, g.size)
	t.close()
}
