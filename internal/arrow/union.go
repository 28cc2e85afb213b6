package arrow

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
)

// schemaAlone returns a Reader that has only a schema.
func (r *Reader) schemaAlone() *Reader {
	in := &messages{form: r.in.form, limits: r.in.limits, messagesRead: messagesRead{first: r.in.first}}
	return &Reader{in: in, schema: r.schema}
}

// Union returns a Reader without rows whose schema can hold the rows of r and of another input.
// Columns are matched by name, those of r first, and a column that only one has may be null. A type
// is widened only if all values stay the same. The result is r if the other adds nothing; an error
// says what cannot be reconciled.
func (r *Reader) Union(another *Reader) (*Reader, error) {
	metadata := r.schema.Metadata()
	features, err := columnar.UniteFeatures(r.Features(), another.Features())
	if err != nil {
		return nil, err
	}
	fields, err := unionOf(r.schema.Fields(), another.schema.Fields(), "")
	if err != nil {
		return nil, err
	}
	u := r.schemaAlone()
	if u.schema = arrow.NewSchema(fields, &metadata); r.Difference(u) == "" {
		return r, nil
	}
	keys, values := metadata.Keys(), slices.Clone(metadata.Values())
	if i := metadata.FindKey(columnar.FeaturesKey); i >= 0 {
		values[i] = features
	}
	metadata = arrow.NewMetadata(keys, values)
	u.schema = arrow.NewSchema(fields, &metadata)
	return u, nil
}

// Units implements columnar.Schema.
func (r *Reader) Units() map[string]string { return columnUnits(r.schema.Fields()) }

// Features is what datasets says of the columns; empty if it says nothing.
func (r *Reader) Features() string {
	metadata := r.schema.Metadata()
	features, _ := metadata.GetValue(columnar.FeaturesKey)
	return features
}

// unionOf unites the fields of two schemas or structs.
func unionOf(a, b []arrow.Field, path string) ([]arrow.Field, error) {
	var fields []arrow.Field
	for _, f := range a {
		i := indexOf(b, f.Name)
		if i < 0 {
			f.Nullable = true
			fields = append(fields, f)
			continue
		}
		var err error
		if f.Type, err = wider(f.Type, b[i].Type, path+f.Name); err != nil {
			return nil, err
		}
		f.Nullable = f.Nullable || b[i].Nullable || b[i].Type.ID() == arrow.NULL
		fields = append(fields, f)
	}
	for _, g := range b {
		if indexOf(a, g.Name) < 0 {
			g.Nullable = true
			fields = append(fields, g)
		}
	}
	return fields, nil
}

// wider returns a type that can hold the values of both.
func wider(a, b arrow.DataType, path string) (arrow.DataType, error) {
	switch {
	case arrow.TypeEqual(a, b) || b.ID() == arrow.NULL:
		return a, nil
	case a.ID() == arrow.NULL:
		return b, nil
	case isWiderNumber(a, b):
		return a, nil
	case isWiderNumber(b, a):
		return b, nil
	}
	x, isStruct := a.(*arrow.StructType)
	y, both := b.(*arrow.StructType)
	if isStruct && both {
		fields, err := unionOf(x.Fields(), y.Fields(), path+".")
		if err != nil {
			return nil, err
		}
		return arrow.StructOf(fields...), nil
	}
	if p, isList := a.(*arrow.ListType); isList && b.ID() == arrow.LIST {
		f, g := p.ElemField(), b.(*arrow.ListType).ElemField()
		t, err := wider(f.Type, g.Type, path+"[]")
		if err != nil {
			return nil, err
		}
		f.Type, f.Nullable = t, f.Nullable || g.Nullable || g.Type.ID() == arrow.NULL
		return arrow.ListOfField(f), nil
	}
	if a.ID() == arrow.DURATION && b.ID() == arrow.DURATION {
		return nil, columnar.UnitError{Column: path, There: a.String(), Here: b.String()}
	}
	return nil, fmt.Errorf("column %q is %s there, and %s here", path, a, b)
}

// numberBits is the number of bits of each integer type, negative for unsigned types.
var numberBits = map[arrow.Type]int{
	arrow.INT8: 8, arrow.INT16: 16, arrow.INT32: 32, arrow.INT64: 64,
	arrow.UINT8: -8, arrow.UINT16: -16, arrow.UINT32: -32, arrow.UINT64: -64,
}

// isWiderNumber reports whether type a can hold all numbers of type b.
func isWiderNumber(a, b arrow.DataType) bool {
	x, y := numberBits[a.ID()], numberBits[b.ID()]
	switch {
	case x > 0 && y != 0:
		return x > max(y, -y)
	case x < 0 && y < 0:
		return x < y
	}
	return a.ID() == arrow.FLOAT64 && b.ID() == arrow.FLOAT32
}

// asUnion returns a writer for the rows of all inputs in the union like. w must accept rows of
// like.
func asUnion(w columnar.Writer[*rows], like *Reader) columnar.Writer[*rows] {
	return &unionWriter{Writer: w, to: like.schema}
}

// A unionWriter converts rows to those of a union before writing them.
type unionWriter struct {
	columnar.Writer[*rows]
	to      *arrow.Schema
	last    *Batch
	adapted *Batch
}

// Write writes rows [from, to).
func (u *unionWriter) Write(r *rows, from, to int) (err error) {
	defer recovered(&err)
	if r.batch.schema == u.to {
		return u.Writer.Write(r, from, to)
	}
	if u.last != r.batch {
		u.last, u.adapted = r.batch, adaptBatch(r.batch, u.to)
	}
	return u.Writer.Write(&rows{u.adapted, r.from, r.to}, from, to)
}

func adaptBatch(b *Batch, to *arrow.Schema) *Batch {
	columns := adaptAll(b.schema.Fields(), b.columns, to.Fields(), b.rows)
	return &Batch{schema: to, columns: columns, rows: b.rows, bytes: b.bytes}
}

// adaptAll converts columns to the fields of a union.
func adaptAll(have []arrow.Field, columns []arrow.ArrayData, want []arrow.Field, rows int) []arrow.ArrayData {
	adapted := make([]arrow.ArrayData, len(want))
	for i, f := range want {
		at := indexOf(have, f.Name)
		if at < 0 {
			adapted[i] = nullsOf(f.Type, rows)
			continue
		}
		adapted[i] = adaptColumn(columns[at], f.Type)
	}
	return adapted
}

// nullsOf returns a column of nulls.
func nullsOf(t arrow.DataType, rows int) arrow.ArrayData {
	return array.MakeArrayOfNull(memory.DefaultAllocator, t, rows).Data()
}

// adaptColumn converts a column to a wider type.
func adaptColumn(d arrow.ArrayData, t arrow.DataType) arrow.ArrayData {
	from := d.DataType()
	switch {
	case arrow.TypeEqual(from, t):
		return d
	case from.ID() == arrow.NULL:
		return nullsOf(t, d.Len())
	case t.ID() == arrow.STRUCT:
		children := adaptAll(from.(*arrow.StructType).Fields(), d.Children(), t.(*arrow.StructType).Fields(),
			childLength(d))
		return withBuffers(d, t, d.Buffers(), children)
	case t.ID() == arrow.LIST:
		child := adaptColumn(d.Children()[0], t.(*arrow.ListType).Elem())
		return withBuffers(d, t, d.Buffers(), []arrow.ArrayData{child})
	}
	return withBuffers(d, t, []*memory.Buffer{d.Buffers()[0], memory.NewBufferBytes(widenNumbers(d, t))}, nil)
}

// childLength returns the length of a struct's child columns.
func childLength(d arrow.ArrayData) int {
	if len(d.Children()) > 0 {
		return d.Children()[0].Len()
	}
	return d.Offset() + d.Len()
}

func withBuffers(d arrow.ArrayData, t arrow.DataType, b []*memory.Buffer, children []arrow.ArrayData) arrow.ArrayData {
	return array.NewData(t, d.Len(), b, children, d.NullN(), d.Offset())
}

// widenNumbers converts numbers to a wider type.
func widenNumbers(d arrow.ArrayData, t arrow.DataType) []byte {
	from, width := d.DataType(), layoutOf(t).width
	narrow := layoutOf(from).width
	values := bufferOf(d, 1)
	var wide []byte
	for i := range d.Offset() + d.Len() {
		v := values[i*narrow:][:narrow]
		var n uint64
		switch {
		case t.ID() == arrow.FLOAT64:
			n = math.Float64bits(float64(math.Float32frombits(binary.LittleEndian.Uint32(v))))
		case numberBits[from.ID()] < 0:
			n = unsigned(v)
		default:
			n = uint64(signed(v))
		}
		wide = append(wide, binary.LittleEndian.AppendUint64(nil, n)[:width]...)
	}
	return wide
}

// CheckJSON implements columnar.Schema: all types of Arrow have a form in JSON.
func (r *Reader) CheckJSON() error { return nil }
