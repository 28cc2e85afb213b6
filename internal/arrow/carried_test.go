package arrow

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/mithril-stream/mithril-stream/internal/parquet"
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

// What a file says of its columns stays where it becomes Parquet, also beside columns that become
// JSON. It is in the Arrow schema, too, from which pyarrow takes it.
func TestMetadataAreCarriedThroughParquet(t *testing.T) {
	label := `{"names":["neg","pos"],"_type":"ClassLabel"}`
	metadata := arrow.NewMetadata([]string{"huggingface", "other"}, []string{
		`{"info":{"features":{"label":` + label + `,"span":{"dtype":"month_day_nano_interval"}}}}`, "x",
	})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "label", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "span", Type: arrow.FixedWidthTypes.MonthDayNanoInterval, Nullable: true},
	}, &metadata)
	numbers := bytes.NewReader([]byte("[0, 1]"))
	labels, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, numbers)
	if err != nil {
		t.Fatal(err)
	}
	spans := array.MakeArrayOfNull(memory.DefaultAllocator, schema.Field(1).Type, 2)
	var given bytes.Buffer
	w := ipc.NewWriter(&given, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecordBatch(schema, []arrow.Array{labels, spans}, 2)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	in, err := os.Open(toParquet(t, given.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.Open(in, size)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	keys, values := file.Metadata()
	for i, key := range keys {
		got[key] = values[i]
	}
	wanted := map[string]string{"huggingface": `{"info":{"features":{"label":` + label + `}}}`, "other": "x"}
	encoded, err := base64.StdEncoding.DecodeString(got[schemaKey])
	if err != nil {
		t.Fatal(err)
	}
	inside, err := ipc.NewReader(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	of := inside.Schema().Metadata()
	for key, want := range wanted {
		if value, _ := of.GetValue(key); got[key] != want || value != want {
			t.Errorf("%s is %s, and in the schema %s; want %s", key, got[key], value, want)
		}
	}
}
