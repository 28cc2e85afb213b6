package arrow

import (
	"bytes"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// What Parquet has no types for goes from Arrow to Parquet and back: time zones, also of seconds,
// durations, the lengths of lists, at any depth.
func TestTypesAreCarriedThroughParquet(t *testing.T) {
	pair := func(of arrow.DataType) arrow.DataType {
		return arrow.FixedSizeListOfField(2, arrow.Field{Name: "element", Type: of, Nullable: true})
	}
	list := func(of arrow.DataType) arrow.DataType {
		return arrow.ListOfField(arrow.Field{Name: "element", Type: of, Nullable: true})
	}
	berlin := func(unit arrow.TimeUnit) arrow.DataType {
		return &arrow.TimestampType{Unit: unit, TimeZone: "Europe/Berlin"}
	}
	none := func(of arrow.DataType) arrow.DataType {
		return arrow.SparseUnionOf([]arrow.Field{{Name: "x", Type: of, Nullable: true}}, []arrow.UnionTypeCode{0})
	}
	for _, c := range []struct {
		given, want arrow.DataType
		values      string
	}{
		{arrow.FixedWidthTypes.Duration_s, nil, "[1, null, 3]"},
		{list(arrow.FixedWidthTypes.Duration_ns), nil, "[[1, null], [], null]"},
		{berlin(arrow.Microsecond), nil, "[1704067200, null, 1719792000]"},
		{berlin(arrow.Second), berlin(arrow.Millisecond), "[1704067200, null, 1719792000]"},
		{pair(arrow.PrimitiveTypes.Float32), nil, "[[1, 2], null, [3, 4]]"},
		{pair(arrow.FixedWidthTypes.Boolean), nil, "[null, [true, false], [null, true]]"},
		{pair(pair(arrow.BinaryTypes.String)), nil, `[[["a", "b"], null], null, [["c", null], ["d", "e"]]]`},
		{arrow.StructOf(arrow.Field{Name: "a", Type: pair(arrow.PrimitiveTypes.Int8), Nullable: true}), nil,
			`[{"a": [1, 2]}, null, {"a": null}]`},
		{arrow.BinaryTypes.LargeString, nil, `["a", null, "b"]`},
		{none(arrow.PrimitiveTypes.Int8), arrow.BinaryTypes.String, ""}, // becomes JSON, and is no union
	} {
		var values arrow.Array
		if c.values == "" {
			values = array.MakeArrayOfNull(memory.DefaultAllocator, c.given, 3)
		} else {
			var err error
			values, _, err = array.FromJSON(memory.DefaultAllocator, c.given, bytes.NewReader([]byte(c.values)))
			if err != nil {
				t.Fatal(c.given, err)
			}
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: c.given, Nullable: true}}, nil)
		var given bytes.Buffer
		w := ipc.NewWriter(&given, ipc.WithSchema(schema))
		if err := w.Write(array.NewRecordBatch(schema, []arrow.Array{values}, 3)); err != nil {
			t.Fatal(err)
		}
		w.Close()
		made := toParquet(t, given.Bytes())
		back, err := ipc.NewReader(bytes.NewReader(fromParquet(t, made, Stream)))
		if err != nil || !back.Next() {
			t.Fatal(c.given, err)
		}
		want := c.want
		if want == nil {
			want = c.given
		}
		got := back.RecordBatch().Column(0)
		if !arrow.TypeEqual(got.DataType(), want) {
			t.Errorf("%s has become %s", c.given, got.DataType())
		}
		if c.want == nil && !array.Equal(got, values) {
			t.Errorf("%s: %s has become %s", c.given, values, got)
		}
		os.Remove(made)
	}
}
