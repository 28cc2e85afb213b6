package arrow

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
	"github.com/mithril-stream/mithril-stream/stream"
)

// numbers are values of so many bytes: any, and those at the ends of ranges.
func numbers(t *rapid.T, width int) []byte {
	v := make([]byte, width)
	switch rapid.IntRange(0, 5).Draw(t, "kind of value") {
	case 0:
	case 1:
		v = bytes.Repeat([]byte{0xff}, width)
	case 2:
		v[width-1] = 0x80
	case 3:
		v = bytes.Repeat([]byte{0xff}, width)
		v[width-1] = 0x7f
	case 4:
		v[0] = rapid.Byte().Draw(t, "small")
	default:
		for i := range v {
			v[i] = rapid.Byte().Draw(t, "byte")
		}
	}
	return v
}

// parquetTypes are those that a column of Parquet may have, and whether their values may not fit.
var parquetTypes = []struct {
	parquet.Type
	mayBeWide bool
}{
	{parquet.Type{Kind: parquet.IntKind, Width: 4, Bits: 8}, true},
	{parquet.Type{Kind: parquet.IntKind, Width: 4, Bits: 16, Unsigned: true}, true},
	{parquet.Type{Kind: parquet.IntKind, Width: 4, Bits: 32}, false},
	{parquet.Type{Kind: parquet.IntKind, Width: 4, Bits: 32, Unsigned: true}, false},
	{parquet.Type{Kind: parquet.IntKind, Width: 8, Bits: 64}, false},
	{parquet.Type{Kind: parquet.IntKind, Width: 8, Bits: 64, Unsigned: true}, false},
	{parquet.Type{Kind: parquet.FloatKind, Width: 2}, false},
	{parquet.Type{Kind: parquet.FloatKind, Width: 4}, false},
	{parquet.Type{Kind: parquet.FloatKind, Width: 8}, false},
	{parquet.Type{Kind: parquet.DecimalKind, Width: 7, Precision: 16, Scale: 3, BigEndian: true}, false},
	{parquet.Type{Kind: parquet.DecimalKind, Width: 20, Precision: 40, Scale: 0, BigEndian: true}, false},
	{parquet.Type{Kind: parquet.DecimalKind, Width: 20, Precision: 30, Scale: 9, BigEndian: true}, true},
	{parquet.Type{Kind: parquet.DateKind, Width: 4}, false},
	{parquet.Type{Kind: parquet.TimeKind, Width: 4, Unit: 1e3, Local: true}, false},
	{parquet.Type{Kind: parquet.TimeKind, Width: 8, Unit: 1e6, Local: true}, false},
	{parquet.Type{Kind: parquet.TimeKind, Width: 8, Unit: 1e9, Local: true}, false},
	{parquet.Type{Kind: parquet.TimestampKind, Width: 8, Unit: 1e3}, false},
	{parquet.Type{Kind: parquet.TimestampKind, Width: 8, Unit: 1e6, Local: true}, false},
	{parquet.Type{Kind: parquet.TimestampKind, Width: 8, Unit: 1e9}, false},
	{parquet.Type{Kind: parquet.OldTimeKind, Width: 12}, true},
	{parquet.Type{Kind: parquet.UUIDKind, Width: 16}, false},
	{parquet.Type{Kind: parquet.FixedBytesKind, Width: 5}, false},
	{parquet.Type{Kind: parquet.BytesKind, Width: 9}, false},
}

// TestNothingNarrowsFromParquet makes Arrow of values of every type: as JSON they are what they
// were, or the file is refused, which it is only where a type has less room.
func TestNothingNarrowsFromParquet(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom(parquetTypes).Draw(rt, "type")
		column := c.Type
		column.Name, column.Nullable = "c", true
		top := column
		inList := rapid.Bool().Draw(rt, "in a list")
		if inList {
			top = parquet.Type{Name: "c", Kind: parquet.ListKind, Nullable: true, Children: []parquet.Type{column}}
		}
		var file bytes.Buffer
		b, err := parquet.NewTypedBuilder(&file, []parquet.Type{top}, nil, nil, parquet.Form{Program: "test"})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 5).Draw(rt, "rows") {
			to := b.Column(0)
			value := numbers(rt, c.Width)
			if inList {
				to.Begin()
				to.Child(0).Value(value)
				to.End()
			} else {
				to.Value(value)
			}
			b.EndRow()
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		want, _ := rowsOfParquet(t, file.Bytes(), columnar.RowNeeds{AsJSON: true}, nil)
		var out bytes.Buffer
		var sink *columnar.Sink[*parquet.Rows]
		_, err = rowsOfParquet(t, file.Bytes(), columnar.RowNeeds{}, func(table *parquet.Table) stream.Sink {
			sink = NewParquetSink(table, columnar.Outputs{Kept: columnar.Output{To: &out, Path: "a.arrows"}})
			return sink
		})
		if err == nil {
			err = sink.Close()
		}
		if isWide := errors.As(err, new(narrowError)) || errors.Is(err, errDecimal); isWide && c.mayBeWide {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		if got := strings.Join(mustLines(t, out.Bytes()), ""); got != want {
			rt.Fatalf("%s\ninstead of\n%s", got, want)
		}
	})
}

// rowsOfParquet reads a file, as JSON or into a sink.
func rowsOfParquet(t *testing.T, data []byte, w columnar.RowNeeds, into func(*parquet.Table) stream.Sink) (
	lines string, err error,
) {
	t.Helper()
	w.MaxRecord = 1 << 20
	table := parquet.NewTable(w)
	r, err := table.Open("x", bytes.NewReader(data), int64(len(data)), func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var sink stream.Sink
	if into != nil {
		sink = into(table)
	}
	for err == nil {
		var records stream.Records
		if err = r.ReadRecords(context.Background(), &records); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for i, rec := range records.List {
			lines += string(records.Buf[rec.Raw.Start:rec.Raw.End])
			if sink == nil {
				continue
			}
			d := &stream.Decided{Decision: stream.Decision{Fate: stream.Unseen}, Tag: records.Tag, Number: i}
			if err := sink.Observe(d); err != nil {
				return lines, err
			}
		}
	}
	return lines, nil
}

// arrowTypes are those of fixed width, and whether their values may not fit into Parquet.
var arrowTypes = []struct {
	arrow.DataType
	mayBeWide bool
}{
	{arrow.PrimitiveTypes.Int8, false}, {arrow.PrimitiveTypes.Int16, false}, {arrow.PrimitiveTypes.Int32, false},
	{arrow.PrimitiveTypes.Int64, false}, {arrow.PrimitiveTypes.Uint8, false}, {arrow.PrimitiveTypes.Uint16, false},
	{arrow.PrimitiveTypes.Uint32, false}, {arrow.PrimitiveTypes.Uint64, false},
	{arrow.FixedWidthTypes.Float16, false}, {arrow.PrimitiveTypes.Float32, false},
	{arrow.PrimitiveTypes.Float64, false},
	{arrow.FixedWidthTypes.Date32, false}, {arrow.FixedWidthTypes.Date64, true},
	{arrow.FixedWidthTypes.Time32s, true}, {arrow.FixedWidthTypes.Time32ms, false},
	{arrow.FixedWidthTypes.Time64us, false}, {arrow.FixedWidthTypes.Time64ns, false},
	{&arrow.TimestampType{Unit: arrow.Second}, true}, {&arrow.TimestampType{Unit: arrow.Millisecond}, false},
	{&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, false},
	{&arrow.TimestampType{Unit: arrow.Nanosecond}, false}, {arrow.FixedWidthTypes.Duration_ns, false},
	{&arrow.Decimal32Type{Precision: 9, Scale: 2}, false}, {&arrow.Decimal64Type{Precision: 18, Scale: 0}, false},
	{&arrow.Decimal128Type{Precision: 38, Scale: 38}, false}, {&arrow.Decimal256Type{Precision: 76, Scale: 5}, false},
	{&arrow.Decimal128Type{Precision: 10, Scale: -3}, false}, {&arrow.FixedSizeBinaryType{ByteWidth: 7}, false},
	{arrow.FixedWidthTypes.MonthInterval, false}, {arrow.FixedWidthTypes.DayTimeInterval, false},
	{arrow.FixedWidthTypes.MonthDayNanoInterval, false},
}

// TestNothingNarrowsToParquet does the same the other way. What Parquet has no type for is the text
// of its JSON there.
func TestNothingNarrowsToParquet(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom(arrowTypes).Draw(rt, "type")
		n := rapid.IntRange(1, 5).Draw(rt, "rows")
		var values []byte
		for range n {
			values = append(values, numbers(rt, layoutOf(c.DataType).width)...)
		}
		data := array.NewData(c.DataType, n, []*memory.Buffer{nil, memory.NewBufferBytes(values)}, nil, 0, 0)
		var file bytes.Buffer
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: c.DataType, Nullable: true}}, nil)
		w := ipc.NewWriter(&file, ipc.WithSchema(schema))
		batch := array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(data)}, int64(n))
		if err := errors.Join(w.Write(batch), w.Close()); err != nil {
			t.Fatal(err)
		}
		var made bytes.Buffer
		err := parquetOf(t, file.Bytes(), &made)
		if errors.As(err, new(narrowError)) && c.mayBeWide {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		got, _ := rowsOfParquet(t, made.Bytes(), columnar.RowNeeds{AsJSON: true}, nil)
		want := mustLines(t, file.Bytes())
		for i, line := range strings.SplitAfter(strings.TrimSuffix(got, "\n"), "\n") {
			var a, b map[string]json.RawMessage
			if err := errors.Join(json.Unmarshal([]byte(want[i]), &a), json.Unmarshal([]byte(line), &b)); err != nil {
				rt.Fatal(err)
			}
			quoted := jsontext.AppendQuoted(nil, a["c"])
			if !bytes.Equal(a["c"], b["c"]) && !bytes.Equal(quoted, b["c"]) {
				rt.Fatalf("%s instead of %s", b["c"], a["c"])
			}
		}
	})
}

// parquetOf makes Parquet of all rows of a stream.
func parquetOf(t *testing.T, data []byte, to io.Writer) error {
	t.Helper()
	table := NewTable(columnar.RowNeeds{MaxRecord: 1 << 20})
	sink := table.NewToParquet(parquet.Form{Program: "test"}, columnar.Outputs{Kept: columnar.Output{To: to}})
	if err := takeAll(t, table, data, sink); err != nil {
		return err
	}
	return sink.Close()
}

// takeAll has a sink take all rows of a stream.
func takeAll(t *testing.T, table *Table, data []byte, sink stream.Sink) error {
	t.Helper()
	r := openBytes(t, table, data)
	defer r.Close()
	var err error
	for err == nil {
		var records stream.Records
		if err = r.ReadRecords(context.Background(), &records); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for i := range records.List {
			d := &stream.Decided{Decision: stream.Decision{Fate: stream.Unseen}, Tag: records.Tag, Number: i}
			if err := sink.Observe(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestEdgesOfOldTimes has the first and the last nanosecond that a timestamp of Arrow holds.
func TestEdgesOfOldTimes(t *testing.T) {
	const julian, day = 2440588, int64(86400e9)
	at := func(days, inDay int64) []byte {
		v := binary.LittleEndian.AppendUint64(nil, uint64(inDay))
		return binary.LittleEndian.AppendUint32(v, uint32(days+julian))
	}
	try := func(v []byte) (n int64, err error) {
		defer recovered(&err)
		to := &target{of: parquet.Type{Name: "c", Kind: parquet.OldTimeKind}}
		return signed(to.oldTime(v)), nil
	}
	first, last := int64(-106752), int64(106751)
	for _, c := range []struct {
		days, inDay int64
		fits        bool
	}{
		{0, 0, true}, {-1, day - 1, true}, {0, -1, true}, {2932896, day - 1, false}, {-719162, 0, false},
		{last, 85636854775807, true}, {last, 85636854775808, false}, {last + 1, 0, false},
		{first, 763145224192, true}, {first, 763145224191, false}, {first - 1, day - 1, false},
	} {
		n, err := try(at(c.days, c.inDay))
		if (err == nil) != c.fits || c.fits && n/1e9 != c.days*86400+c.inDay/1e9 && c.days > 0 {
			t.Errorf("day %d, %d ns: %d, %v", c.days, c.inDay, n, err)
		}
		if err != nil && !strings.Contains(err.Error(), `column "c" has the value `) {
			t.Error(err)
		}
	}
}

// TestOneUnknownField has a schema of Arrow in a file of Parquet with a field of a type that is not
// known: what it says of the others counts.
func TestOneUnknownField(t *testing.T) {
	zone := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}
	known := []arrow.Field{
		{Name: "at", Type: zone}, {Name: "odd", Type: arrow.PrimitiveTypes.Int64}, {Name: "large",
			Type: arrow.BinaryTypes.LargeString},
	}
	var message bytes.Buffer
	if err := ipc.NewWriter(&message, ipc.WithSchema(arrow.NewSchema(known, nil))).Close(); err != nil {
		t.Fatal(err)
	}
	data := message.Bytes()
	schema, _ := rootOf(data[8:]).table(messageHeader)
	start, _ := schema.vector(schemaFields, 4)
	odd := schema.element(start, 1)
	odd.Bytes[odd.slot(fieldType)+odd.Pos] = 99
	fields := []arrow.Field{
		{Name: "large", Type: arrow.BinaryTypes.String}, {Name: "odd", Type: arrow.PrimitiveTypes.Int64},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
		{Name: "new", Type: arrow.Null},
	}
	got := fmt.Sprint(adopt(fields, base64.StdEncoding.EncodeToString(data)))
	for _, want := range []string{"large_utf8", "Europe/Berlin", "odd: type=int64", "new: type=null"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	for cut := range data { // and never panics
		adopt(fields, base64.StdEncoding.EncodeToString(data[:cut]))
	}
}
