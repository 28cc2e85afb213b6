package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// NewToParquet returns a sink that writes rows as Parquet. Types that Parquet has are kept; others
// become JSON. Each output has the columns and the metadata of the first input.
func (t *Table) NewToParquet(form parquet.Form, o columnar.Outputs) *columnar.Sink[*rows] {
	return columnar.NewSink(o, func(out columnar.Output) (w columnar.Writer[*rows], err error) {
		defer recovered(&err)
		like, err := t.Like(out.Input)
		if err != nil {
			return nil, err
		}
		p := &parquetFile{json: jsonWriter{schema: like.schema, maxBytes: int(like.in.limits.row)}}
		for _, f := range like.schema.Fields() {
			p.types = append(p.types, parquetTypeOf(f.Name, f))
		}
		keys, values := parquetMetadata(like.schema, p.types)
		p.TypedBuilder, err = parquet.NewTypedBuilder(out.To, p.types, keys, values, form)
		return asUnion(p, like), err
	}, func(*rows) {})
}

// A parquetFile is one of the outputs.
type parquetFile struct {
	*parquet.TypedBuilder
	types   []parquet.Type
	json    jsonWriter
	scratch []byte
}

// Write writes rows [from, to).
func (p *parquetFile) Write(r *rows, from, to int) (err error) {
	defer recovered(&err)
	for i := r.from + from; i < r.from+to; i++ {
		for c, d := range r.batch.columns {
			p.value(&p.types[c], p.Column(c), d, i)
		}
		if err := p.EndRow(); err != nil {
			return err
		}
	}
	return nil
}

// value writes a value in the form of its column.
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

// errNullKey is returned for map entries with a null key, which Arrow does not allow either.
var errNullKey = errors.New("a key of a map is null: use --to jsonl")

const dayMillis = 24 * 60 * 60 * 1000

// stored returns a value in the form of a column, possibly in scratch memory.
func (p *parquetFile) stored(to *parquet.Type, t arrow.DataType, v []byte) []byte {
	const day = dayMillis
	switch {
	case to.Kind == parquet.DecimalKind:
		p.decimal(to, v)
	case t.ID() == arrow.DATE64:
		n := signed(v)
		if n%day != 0 {
			panic(narrowError{to.Name, fmt.Sprint(n, " ms"), "whole days"})
		}
		p.number(n/day, 4)
		p.checkRoom(to, n/day, "days of 32 bits")
	case to.Kind == parquet.IntKind && to.Unsigned:
		p.number(int64(unsigned(v)), to.Width)
	case to.Kind == parquet.IntKind:
		p.number(signed(v), to.Width)
	case isSeconds(t):
		n := signed(v) * 1000
		if n/1000 != signed(v) {
			panic(narrowError{to.Name, fmt.Sprint(signed(v), " s"), "milliseconds of 64 bits"})
		}
		p.number(n, to.Width)
		p.checkRoom(to, n, "milliseconds of 32 bits")
	default:
		return v
	}
	return p.scratch
}

// decimal stores a number, with the highest byte first. A value may have more digits than its type
// says.
func (p *parquetFile) decimal(to *parquet.Type, v []byte) {
	p.scratch = append(p.scratch[:0], v...)
	for sign := byte(int8(v[len(v)-1]) >> 7); len(p.scratch) < to.Width; {
		p.scratch = append(p.scratch, sign)
	}
	for _, b := range p.scratch[to.Width:] {
		if b != byte(int8(p.scratch[to.Width-1])>>7) {
			panic(narrowError{to.Name, "a number", fmt.Sprintf("the %d digits of its type", to.Precision)})
		}
	}
	p.scratch = p.scratch[:to.Width]
	slices.Reverse(p.scratch)
}

// checkRoom makes sure that n survived the conversion to the integer in scratch memory.
func (p *parquetFile) checkRoom(to *parquet.Type, n int64, room string) {
	if signed(p.scratch) != n {
		panic(narrowError{to.Name, fmt.Sprint(n), room})
	}
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

// number stores an integer in scratch memory.
func (p *parquetFile) number(n int64, width int) {
	p.scratch = binary.LittleEndian.AppendUint64(p.scratch[:0], uint64(n))[:width]
}
