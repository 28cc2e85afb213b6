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

// A parquetFile is one of the outputs.
type parquetFile struct {
	b       *parquet.TypedBuilder
	types   []parquet.Type
	json    jsonWriter
	scratch []byte
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
