package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// flatTypes are the types of new columns. A column without values may have any type.
var flatTypes = map[columns.Kind]Type{
	columns.Bool: {Kind: BoolKind}, columns.Integer: {Kind: IntKind, Width: 8},
	columns.Number: {Kind: FloatKind, Width: 8}, columns.String: {Kind: TextKind},
	columns.Nothing: {Kind: TextKind}, columns.JSON: {Kind: JSONKind},
}

// A Builder writes a file of flat columns. It implements columnar.Builder.
type Builder struct {
	*TypedBuilder
	at    int     // the column of the next value
	value [8]byte // scratch buffer
}

// NewBuilder returns a Builder for at least one column.
func NewBuilder(w io.Writer, list []columns.Column, form Form) (*Builder, error) {
	types := make([]Type, len(list))
	for i, c := range list {
		types[i] = flatTypes[c.Kind]
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
