package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
)

// flatTypes are the types of new columns.
var flatTypes = map[columnar.ColumnType]Type{
	columnar.BoolColumn: {Kind: BoolKind}, columnar.Int64Column: {Kind: IntKind, Width: 8},
	columnar.DoubleColumn: {Kind: FloatKind, Width: 8}, columnar.StringColumn: {Kind: TextKind},
	columnar.JSONColumn: {Kind: JSONKind},
}

// A Builder writes a file of flat columns. It implements columnar.Builder.
type Builder struct {
	*TypedBuilder
	at    int     // the column of the next value
	value [8]byte // scratch buffer
}

// NewBuilder returns a Builder for at least one column.
func NewBuilder(w io.Writer, columns []columnar.Column, form Form) (*Builder, error) {
	types := make([]Type, len(columns))
	for i, c := range columns {
		types[i] = flatTypes[c.Type]
		types[i].Name, types[i].Nullable = c.Name, true
	}
	b, err := NewTypedBuilder(w, types, nil, nil, form)
	return &Builder{TypedBuilder: b}, err
}

// next returns the column of the next value, and advances.
func (b *Builder) next() Target {
	b.at++
	return b.Column(b.at - 1)
}

// Null adds a null.
func (b *Builder) Null() { b.next().Null() }

// Bool adds a value to a column of booleans. It is too small to count towards the size of rows.
func (b *Builder) Bool(value bool) {
	b.value[0] = 0
	if value {
		b.value[0] = 1
	}
	b.next().Value(b.value[:1])
	b.rows.bytes--
}

// Int64 adds a value to a column of integers.
func (b *Builder) Int64(value int64) { b.fixed(uint64(value)) }

// Double adds a value to a column of doubles.
func (b *Builder) Double(value float64) { b.fixed(math.Float64bits(value)) }

func (b *Builder) fixed(bits uint64) {
	binary.LittleEndian.PutUint64(b.value[:], bits)
	b.next().Value(b.value[:])
}

// Bytes adds a value to a column of strings or JSON.
func (b *Builder) Bytes(value []byte) { b.next().Value(value) }

// EndRow ends a row. Each column must have received a value.
func (b *Builder) EndRow() error {
	b.at = 0
	return b.TypedBuilder.EndRow()
}
