package arrow

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// ToParquet is a sink that writes rows as Parquet: what has a type there keeps it, and other things
// become JSON. Each output that is not nil gets the columns and the metadata of the first input.
type ToParquet struct {
	table *Table
	form  parquet.Form
	outs  [3]io.Writer // for kept rows, removed ones, and those that cannot be read
	parts [3]*parquetFile
}

// NewToParquet is for the kept rows, the removed ones, and those that cannot be read.
func (t *Table) NewToParquet(form parquet.Form, kept, duplicates, rejects io.Writer) *ToParquet {
	return &ToParquet{table: t, form: form, outs: [3]io.Writer{kept, duplicates, rejects}}
}

// Take notes what becomes of a row.
func (s *ToParquet) Take(d *stream.Decided) error {
	rows, fate := d.Tag.(*rows), d.Fate
	i := rows.from + d.Number
	var err error
	if fate.GoesOn() {
		err = s.write(0, rows.batch, i)
	}
	switch fate {
	case stream.Duplicate:
		err = errors.Join(err, s.write(1, rows.batch, i))
	case stream.Tolerated, stream.Diverted:
		err = errors.Join(err, s.write(2, rows.batch, i))
	}
	return err
}

// Flush has nothing to do: rows leave in row groups.
func (s *ToParquet) Flush() error { return nil }

// Next ends the file of kept rows, and begins another one.
func (s *ToParquet) Next(w io.Writer) error {
	if err := s.closePart(0); err != nil {
		return err
	}
	s.outs[0], s.parts[0] = w, nil
	return nil
}

// Close ends the files. It is not for a run that has failed.
func (s *ToParquet) Close() error {
	var errs []error
	for part := range s.parts {
		errs = append(errs, s.closePart(part))
	}
	return errors.Join(errs...)
}

func (s *ToParquet) closePart(part int) error {
	p, err := s.open(part)
	if p == nil || err != nil {
		return err
	}
	return p.b.Close()
}

func (s *ToParquet) write(part int, b *Batch, i int) (err error) {
	defer recovered(&err)
	p, err := s.open(part)
	if p == nil || err != nil {
		return err
	}
	return p.row(b, i)
}

// open returns nil if there is no such output.
func (s *ToParquet) open(part int) (*parquetFile, error) {
	if s.outs[part] == nil || s.parts[part] != nil {
		return s.parts[part], nil
	}
	like := s.table.like()
	if like == nil {
		return nil, errNoSchema
	}
	p := &parquetFile{json: jsonWriter{schema: like.schema, most: int(like.in.limits.row)}}
	for _, f := range like.schema.Fields() {
		p.types = append(p.types, parquetType(f.Name, f.Type))
	}
	keys, values := parquetMetadata(like.schema, p.types)
	var err error
	p.b, err = parquet.NewTypedBuilder(s.outs[part], p.types, keys, values, s.form)
	s.parts[part] = p
	return p, err
}

// parquetMetadata are the metadata of the schema, without those that describe its columns if some
// have become JSON.
func parquetMetadata(s *arrow.Schema, types []parquet.Type) (keys, values []string) {
	becomesJSON := false
	for i, f := range s.Fields() {
		becomesJSON = becomesJSON || hasJSON(types[i], f.Type)
	}
	metadata := s.Metadata()
	for i, key := range metadata.Keys() {
		if !becomesJSON || key != "huggingface" && key != "pandas" {
			keys, values = append(keys, key), append(values, metadata.Values()[i])
		}
	}
	return keys, values
}

// hasJSON reports whether some of what is of an Arrow type becomes JSON in one of Parquet.
func hasJSON(p parquet.Type, t arrow.DataType) bool {
	if p.Kind == parquet.TextKind {
		return !isFlat(t)
	}
	for i, child := range nestedTypes(t) {
		if i < len(p.Children) && hasJSON(p.Children[i], child) {
			return true
		}
	}
	return false
}

// nestedTypes are those of the fields of a struct, the element of a list, and the keys and values
// of a map.
func nestedTypes(t arrow.DataType) (types []arrow.DataType) {
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return nestedTypes(t.ValueType)
	case *arrow.RunEndEncodedType:
		return nestedTypes(t.Encoded())
	case *arrow.MapType:
		return []arrow.DataType{t.KeyType(), t.ItemType()}
	case arrow.ListLikeType:
		return []arrow.DataType{t.Elem()}
	case *arrow.StructType:
		for _, f := range t.Fields() {
			types = append(types, f.Type)
		}
	}
	return types
}

// isFlat reports whether values of a type are bytes or strings.
func isFlat(t arrow.DataType) bool {
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return isFlat(t.ValueType)
	case *arrow.RunEndEncodedType:
		return isFlat(t.Encoded())
	}
	l := layoutOf(t)
	return l.kind == binaries || l.kind == views || l.kind == nulls
}

// A parquetFile is one of the outputs.
type parquetFile struct {
	b       *parquet.TypedBuilder
	types   []parquet.Type
	json    jsonWriter
	scratch []byte
}

// parquetType is the type of a column that keeps the values of a type; text if that has none there.
func parquetType(name string, t arrow.DataType) parquet.Type {
	p := columnType{parquet.Type{Name: name, Nullable: true, Kind: parquet.TextKind}}
	l := layoutOf(t)
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return parquetType(name, t.ValueType)
	case *arrow.RunEndEncodedType:
		return parquetType(name, t.Encoded())
	case *arrow.MapType:
		p.nest(parquet.MapKind, t, []string{"key", "value"})
		if p.Kind == parquet.MapKind && p.Children[0].Children != nil { // no reader has such keys
			p.Kind, p.Children = parquet.TextKind, nil
		}
	case arrow.ListLikeType:
		p.nest(parquet.ListKind, t, []string{"element"})
	case *arrow.StructType:
		var names []string
		for _, f := range t.Fields() {
			names = append(names, f.Name)
		}
		p.nest(parquet.StructKind, t, names)
	case *arrow.BooleanType:
		p.Kind = parquet.BoolKind
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.DurationType:
		p.Kind, p.Bits, p.Width = parquet.IntKind, 8*l.width, max(4, l.width)
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		p.Kind, p.Bits, p.Width, p.Unsigned = parquet.IntKind, 8*l.width, max(4, l.width), true
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		p.Kind, p.Width = parquet.FloatKind, l.width
	case arrow.DecimalType:
		if t.GetScale() >= 0 && t.GetScale() <= t.GetPrecision() {
			p.Kind, p.Width, p.BigEndian = parquet.DecimalKind, l.width, true
			p.Precision, p.Scale = int(t.GetPrecision()), int(t.GetScale())
		}
	case *arrow.Date32Type, *arrow.Date64Type:
		p.Kind, p.Width = parquet.DateKind, 4
	case *arrow.Time32Type:
		p.Kind, p.Width, p.Unit, p.Local = parquet.TimeKind, 4, 1e3, true
	case *arrow.Time64Type:
		p.Kind, p.Width, p.Unit, p.Local = parquet.TimeKind, 8, unitsOf(t.Unit), true
	case *arrow.TimestampType:
		p.Kind, p.Width, p.Unit, p.Local = parquet.TimestampKind, 8, max(1e3, unitsOf(t.Unit)), t.TimeZone == ""
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		p.Kind = parquet.BytesKind
	case *arrow.FixedSizeBinaryType:
		if p.Kind = parquet.BytesKind; l.width > 0 {
			p.Kind, p.Width = parquet.FixedBytesKind, l.width
		}
	}
	return p.Type
}

type columnType struct{ parquet.Type }

// nest makes the type one of other types. One of none, for which Parquet has no group, stays text.
func (p *columnType) nest(kind parquet.Kind, t arrow.DataType, names []string) {
	if len(names) == 0 {
		return
	}
	p.Kind = kind
	for i, child := range nestedTypes(t) {
		p.Children = append(p.Children, parquetType(names[i], child))
	}
}

func (p *parquetFile) row(b *Batch, i int) error {
	for c, d := range b.columns {
		p.value(&p.types[c], p.b.Column(c), d, i)
	}
	return p.b.EndRow()
}

// value writes a value as its column stores it.
func (p *parquetFile) value(to *parquet.Type, out parquet.Target, d arrow.ArrayData, i int) {
	t := storage(d.DataType())
	l := layoutOf(t)
	switch {
	case l.kind == nulls || l.kind.hasValidity() && isNull(d, i):
		out.Null()
	case t.ID() == arrow.DICTIONARY:
		p.value(to, out, d.Dictionary(), indexAt(d, i))
	case l.kind == runEnds:
		p.value(to, out, d.Children()[1], runAt(d, i))
	case len(to.Children) > 0:
		p.nested(to, out, d, i)
	case to.Kind == parquet.BoolKind:
		out.Value([]byte{bufferOf(d, 1)[i>>3] >> (i & 7) & 1})
	case to.Kind == parquet.TextKind && l.kind != binaries && l.kind != views:
		p.scratch = p.json.value(p.scratch[:0], d, i)
		out.Value(p.scratch)
	default:
		out.Value(p.stored(to, t, bytesAt(d, l, i)))
	}
}

// nested writes a struct, a list or a map.
func (p *parquetFile) nested(to *parquet.Type, out parquet.Target, d arrow.ArrayData, i int) {
	out.Begin()
	defer out.End()
	if to.Kind == parquet.StructKind {
		for c, child := range d.Children() {
			p.value(&to.Children[c], out.Child(c), child, i)
		}
		return
	}
	below := d.Children()
	from, end := elementsAt(d, layoutOf(d.DataType()), i)
	if to.Kind == parquet.MapKind {
		below = below[0].Children()
	}
	for at := from; at < end; at++ {
		for c, child := range below {
			if to.Kind == parquet.MapKind && c == 0 && isNull(child, at) {
				panic(errNullKey)
			}
			p.value(&to.Children[c], out.Child(c), child, at)
		}
	}
}

// errNullKey is an entry of a map that Arrow does not allow either.
var errNullKey = errors.New("a key of a map is null: use --to jsonl")

// errTime is a time that Parquet cannot count.
var errTime = errors.New("a time in seconds is too far away for the milliseconds of parquet: use --to jsonl")

// stored is a value as a column of a type has it. It may be scratch memory.
func (p *parquetFile) stored(to *parquet.Type, t arrow.DataType, v []byte) []byte {
	const day = 24 * 60 * 60 * 1000
	switch {
	case to.Kind == parquet.DecimalKind:
		p.scratch = append(p.scratch[:0], v...)
		slices.Reverse(p.scratch)
	case t.ID() == arrow.DATE64:
		p.number(floorDiv(signed(v), day), 4)
	case to.Kind == parquet.IntKind && to.Unsigned:
		p.number(int64(unsigned(v)), to.Width)
	case to.Kind == parquet.IntKind:
		p.number(signed(v), to.Width)
	case isSeconds(t):
		n := signed(v) * 1000
		if n/1000 != signed(v) {
			panic(errTime)
		}
		p.number(n, to.Width)
	default:
		return v
	}
	return p.scratch
}

func isSeconds(t arrow.DataType) bool {
	unit, isTime := t.(arrow.TemporalWithUnit)
	return isTime && t.ID() != arrow.DURATION && unit.TimeUnit() == arrow.Second
}

func floorDiv(n, by int64) int64 {
	if n%by < 0 {
		return n/by - 1
	}
	return n / by
}

// number stores an integer in the scratch memory.
func (p *parquetFile) number(n int64, width int) {
	p.scratch = binary.LittleEndian.AppendUint64(p.scratch[:0], uint64(n))[:width]
}
