package parquet

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// A row group is written when it takes about heldBytes of memory, or would take about groupBytes if
// it were not compressed.
const (
	heldBytes  = 64 << 20
	groupBytes = 128 << 20
)

// A Writer writes rows to a file that is like another one: of the same schema, with the same
// metadata, its columns compressed in the same way. It serves one goroutine.
type Writer struct {
	w        *bufio.Writer
	at       int64 // bytes written
	like     *footer
	program  string
	compress compressor
	columns  []chunkWriter
	rows     uint64 // of the row group at hand
	most     uint64 // that it may have
	total    uint64
	groups   []byte // the RowGroups so far
	count    int    // of them
}

// NewWriter prepares a file; nothing is written to w before the first row group is full, or Close.
// program is what the file says to have been written by.
func NewWriter(w io.Writer, like *File, program string) *Writer {
	f := like.footer
	out := &Writer{w: bufio.NewWriterSize(w, 64<<10), like: f, program: program, most: f.largest,
		columns: make([]chunkWriter, len(f.schema.columns))}
	if out.most == 0 {
		out.most = math.MaxInt32
	}
	var chunks []chunk
	for i := range f.groups {
		if g, err := f.group(i); err == nil && len(g.chunks) > 0 {
			chunks = g.chunks
			break
		}
	}
	for i, c := range f.schema.columns {
		w := &out.columns[i]
		w.column, w.compress, w.codec = c, &out.compress, f.codec
		w.mayIndex = f.codec != uncompressed && c.physical != boolean
		if chunks != nil {
			w.codec, w.mayIndex = chunks[i].codec.forOutput(), chunks[i].dictionary && c.physical != boolean
		}
		w.begin()
	}
	return out
}

// Write takes rows from one to before another.
func (w *Writer) Write(rows *Rows, from, to int) error {
	for from < to {
		end := min(to, from+int(min(w.most-w.rows, math.MaxInt32)))
		held, size := 0, 0
		for i := range w.columns {
			c := &w.columns[i]
			if err := c.append(&rows.columns[i], from, end); err != nil {
				return err
			}
			held += c.held()
			size += int(c.size)
		}
		w.rows += uint64(end - from)
		from = end
		if w.rows == w.most || held >= heldBytes || size >= groupBytes {
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

// endGroup writes the row group at hand.
func (w *Writer) endGroup() error {
	if w.at == 0 {
		if err := w.write([]byte(magic)); err != nil {
			return err
		}
	}
	start := w.at
	t := thriftWriter{buf: w.groups}
	t.open()
	t.list(1, thriftStruct, len(w.columns))
	var size int64
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
		c.describe(&t, at, dictionary)
		size += c.size
		c.begin()
	}
	t.i64(2, size)
	t.i64(3, int64(w.rows))
	t.i64(5, start)
	t.i64(6, w.at-start)
	t.close()
	w.groups = t.buf
	w.count++
	w.total += w.rows
	w.rows = 0
	return w.w.Flush()
}

// Close writes what is left, and the footer. It does not close what it writes to.
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
	var t thriftWriter
	t.open()
	t.i32(1, w.like.version)
	t.raw(2, thriftList, w.like.schema.raw)
	t.i64(3, int64(w.total))
	t.list(4, thriftStruct, w.count)
	t.buf = append(t.buf, w.groups...)
	if w.like.keyValues != nil {
		t.raw(5, thriftList, w.like.keyValues)
	}
	t.string(6, w.program)
	if w.like.orders != nil {
		t.raw(7, thriftList, w.like.orders)
	}
	t.close()
	t.buf = binary.LittleEndian.AppendUint32(t.buf, uint32(len(t.buf)))
	if err := w.write(append(t.buf, magic...)); err != nil {
		return err
	}
	return w.w.Flush()
}
