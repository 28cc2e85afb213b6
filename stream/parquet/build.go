package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/mithril-stream/mithril-stream/stream/columnar"
)

// stored says how values of a type are stored, and what they are annotated as.
var stored = map[columnar.ColumnType]struct {
	physical           physical
	converted, logical int16 // ConvertedType, or -1; member of LogicalType, or 0
}{
	columnar.BoolColumn: {boolean, -1, 0}, columnar.Int64Column: {int64s, -1, 0}, columnar.DoubleColumn: {double, -1, 0},
	columnar.StringColumn: {byteArray, 0, 1}, columnar.JSONColumn: {byteArray, 19, 12},
}

// A Builder writes a file of flat columns, compressed by Snappy, as most writers do it. Rows are
// given value by value, in the order of the columns. It serves one goroutine.
type Builder struct {
	w    *Writer
	rows Rows
	at   int // the column of the next value
}

// NewBuilder prepares a file of at least one column.
func NewBuilder(w io.Writer, columns []columnar.Column, form Form) (*Builder, error) {
	schema, err := parseSchema(flatSchema(columns))
	if err != nil {
		return nil, err
	}
	like := &File{footer: &footer{version: 1, schema: schema, codec: snappyBlocks}}
	b := &Builder{w: NewWriter(w, like, form)}
	b.rows.reset(schema)
	return b, nil
}

// flatSchema is the list of SchemaElement of optional columns.
func flatSchema(columns []columnar.Column) []byte {
	t := thriftWriter{buf: listHead(1 + len(columns))}
	t.open()
	t.string(4, "schema")
	t.i32(5, int32(len(columns)))
	t.close()
	for _, c := range columns {
		s := stored[c.Type]
		t.open()
		t.i32(1, int32(s.physical))
		t.i32(3, int32(optional))
		t.string(4, c.Name)
		if s.converted >= 0 {
			t.i32(6, int32(s.converted))
		}
		if s.logical > 0 {
			t.enter(10)
			t.enter(s.logical)
			t.close()
			t.close()
		}
		t.close()
	}
	return t.buf
}

// listHead is how a list of structs begins that stands alone.
func listHead(n int) []byte {
	var t thriftWriter
	t.open()
	t.list(1, thriftStruct, n)
	return t.buf[1:]
}

// vector returns the column of the next value, which is there or not.
func (b *Builder) vector(isThere bool) *vector {
	v := &b.rows.columns[b.at]
	b.at++
	m := v.start(len(v.rows))
	m.levels++
	if isThere {
		m.values++
		v.defs = append(v.defs, 1)
	} else {
		v.defs = append(v.defs, 0)
	}
	v.rows = append(v.rows, m)
	return v
}

// Null gives a value that is not there.
func (b *Builder) Null() { b.vector(false) }

// Bool gives a value of a columnar.BoolColumn.
func (b *Builder) Bool(value bool) {
	v, bit := b.vector(true), byte(0)
	if value {
		bit = 1
	}
	v.data = append(v.data, bit)
}

// Int64 gives a value of an columnar.Int64Column.
func (b *Builder) Int64(value int64) { b.fixed(uint64(value)) }

// Double gives a value of a columnar.DoubleColumn.
func (b *Builder) Double(value float64) { b.fixed(math.Float64bits(value)) }

func (b *Builder) fixed(bits uint64) {
	v := b.vector(true)
	v.data = binary.LittleEndian.AppendUint64(v.data, bits)
	b.rows.bytes += 8
}

// Bytes gives a value of a columnar.StringColumn or a columnar.JSONColumn.
func (b *Builder) Bytes(value []byte) {
	b.vector(true).appendBytes(value)
	b.rows.bytes += len(value)
}

// EndRow ends a row of which every column has been given.
func (b *Builder) EndRow() error {
	b.at = 0
	if b.rows.n++; b.rows.n < batchRows && b.rows.bytes < batchBytes {
		return nil
	}
	return b.hand()
}

func (b *Builder) hand() error {
	err := b.w.Write(&b.rows, 0, b.rows.n)
	b.rows.reset(b.rows.schema)
	return err
}

// Close writes what is left, and the footer.
func (b *Builder) Close() error {
	if err := b.hand(); err != nil {
		return err
	}
	return b.w.Close()
}
