package arrow

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// types are the types of new columns. JSON is a string with an extension type, and a column without
// values may have any type.
var types = [...]arrow.DataType{
	columns.Bool: arrow.FixedWidthTypes.Boolean, columns.Integer: arrow.PrimitiveTypes.Int64,
	columns.Number: arrow.PrimitiveTypes.Float64, columns.String: arrow.BinaryTypes.String,
	columns.JSON: arrow.BinaryTypes.String, columns.Nothing: arrow.BinaryTypes.String,
}

// A Builder writes a table of flat columns. Pass the values of a row in the order of the columns.
// Only one goroutine may use it.
type Builder struct {
	w  *Writer
	at int // the column of the next value
}

// NewBuilder returns a Builder for at least one column.
func NewBuilder(w io.Writer, list []columns.Column, form Form) (*Builder, error) {
	fields := make([]arrow.Field, len(list))
	for i, c := range list {
		fields[i] = arrow.Field{Name: c.Name, Type: types[c.Kind], Nullable: true}
		if c.Kind == columns.JSON {
			fields[i].Metadata = metadataOf(jsonExtension)
		}
	}
	out, err := newWriter(w, arrow.NewSchema(fields, nil), form, newLimits(0), nil)
	return &Builder{w: out}, err
}

// next returns the column of the next value, and advances.
func (b *Builder) next() *column {
	c := b.w.columns[b.at]
	b.at++
	c.mark(true)
	return c
}

// appendBit appends a bit to the n bits in dst.
func appendBit(dst []byte, n int, bit bool) []byte {
	if n&7 == 0 {
		dst = append(dst, 0)
	}
	if bit {
		dst[n>>3] |= 1 << (n & 7)
	}
	return dst
}

// Null adds a null.
func (b *Builder) Null() {
	c := b.w.columns[b.at]
	b.at++
	c.appendNull()
}

// Bool adds a value to a BoolColumn.
func (b *Builder) Bool(value bool) {
	c := b.next()
	c.first = appendBit(c.first, c.n-1, value)
}

// Int64 adds a value to an Int64Column.
func (b *Builder) Int64(value int64) { b.fixed(uint64(value)) }

// Double adds a value to a DoubleColumn.
func (b *Builder) Double(value float64) { b.fixed(math.Float64bits(value)) }

func (b *Builder) fixed(value uint64) {
	c := b.next()
	c.first = binary.LittleEndian.AppendUint64(c.first, value)
	b.w.size += 8
}

// Bytes adds a value to a column of strings.
func (b *Builder) Bytes(value []byte) { b.next().endBytes(value) }

func (c *column) endBytes(value []byte) {
	if len(c.second) == 0 {
		c.second = appendNumber(nil, 0, c.width)
	}
	c.third = append(c.third, value...)
	c.second = appendNumber(c.second, int64(len(c.third)), c.width)
	c.grow(len(value) + c.width)
}

// EndRow ends a row. Each column must have received a value.
func (b *Builder) EndRow() (err error) {
	defer recovered(&err)
	b.at = 0
	b.w.rows++
	return b.w.flushFull()
}

// Close writes the remaining rows and the end of the output.
func (b *Builder) Close() error { return b.w.Close() }
