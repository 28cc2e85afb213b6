package arrow

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// noted makes a Parquet file with columns of these types, whose values are null.
func noted(t *testing.T, fields ...arrow.Field) (path string) {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	var columns []arrow.Array
	for i := range fields {
		fields[i].Nullable = true
		columns = append(columns, array.MakeArrayOfNull(memory.DefaultAllocator, fields[i].Type, 2))
	}
	var given bytes.Buffer
	w := ipc.NewWriter(&given, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecordBatch(schema, columns, 2)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return toParquet(t, given.Bytes())
}

// unionOfFiles opens files as one table, and returns what a file with the rows of all has.
func unionOfFiles(t *testing.T, wanted columnar.RowNeeds, paths ...string) (*parquet.File, error) {
	t.Helper()
	wanted.MaxRecord = 1 << 20
	table := parquet.NewTable(wanted)
	table.ArrowTypes = Noted{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		size, err := f.Seek(0, io.SeekEnd)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Open(path, f, size, func() error { return nil }); err != nil {
			return nil, err
		}
	}
	return table.Like("")
}

func columnOf(name string, of arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: of} }

// Where another file has a column more, the types stay that only the Arrow schema tells.
func TestUnionsKeepNotedTypes(t *testing.T) {
	types := &arrow.FixedWidthTypes
	berlin := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}
	pair := arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32)
	a := noted(t, columnOf("d", types.Duration_ms), columnOf("z", berlin), columnOf("p", pair))
	b := noted(t, columnOf("d", types.Duration_ms), columnOf("more", types.Duration_s), columnOf("p", pair))
	union, err := unionOfFiles(t, columnar.RowNeeds{}, a, b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range schemaOf(union).Fields() {
		got = append(got, f.Name+": "+f.Type.String())
	}
	want := "d: duration[ms], z: timestamp[us, tz=Europe/Berlin], " +
		"p: fixed_size_list<element: float32, nullable>[2], more: duration[s]"
	if strings.Join(got, ", ") != want {
		t.Errorf("the union has %s, want %s", strings.Join(got, ", "), want)
	}
}

// Numbers that mean something else in another file, and lists that would not fit, are refused,
// numbers also where rows become JSON.
func TestUnionsRefuseOtherUnits(t *testing.T) {
	seconds, millis := arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ms
	structOf := func(of arrow.DataType) arrow.DataType {
		return arrow.ListOf(arrow.StructOf(arrow.Field{Name: "a", Type: of, Nullable: true}))
	}
	pairs := func(of int32) arrow.DataType { return arrow.FixedSizeListOf(of, arrow.PrimitiveTypes.Int8) }
	for _, c := range []struct {
		a, b         arrow.DataType
		rows, inJSON bool // are refused
	}{
		{seconds, seconds, false, false},
		{seconds, millis, true, true},
		{structOf(seconds), structOf(millis), true, true},
		{seconds, arrow.PrimitiveTypes.Int64, true, false},
		{arrow.PrimitiveTypes.Int32, seconds, true, false},
		{pairs(2), pairs(3), true, false},
		{pairs(2), arrow.ListOf(arrow.PrimitiveTypes.Int8), true, false},
		{arrow.ListOf(arrow.PrimitiveTypes.Int8), pairs(2), false, false},
	} {
		a, b := noted(t, columnOf("v", c.a)), noted(t, columnOf("v", c.b))
		if _, err := unionOfFiles(t, columnar.RowNeeds{}, a, b); (err != nil) != c.rows {
			t.Errorf("rows with %s and %s: %v", c.a, c.b, err)
		}
		_, err := unionOfFiles(t, columnar.RowNeeds{AsJSON: true}, a, b)
		if (err != nil) != c.inJSON || err != nil && !strings.Contains(err.Error(), "would change their meaning") {
			t.Errorf("JSON with %s and %s: %v", c.a, c.b, err)
		}
	}
}

// A column without values has no unit, and takes that of another file.
func TestUnionsOfNullsAndUnits(t *testing.T) {
	b := noted(t, columnOf("score", arrow.FixedWidthTypes.Duration_s))
	union, err := unionOfFiles(t, columnar.RowNeeds{}, parquetFiles+"union/nulls.parquet", b, b)
	if err != nil {
		t.Fatal(err)
	}
	if got := (Noted{}).Units(union)["score"]; got != "duration[s]" {
		t.Errorf("the union has the units %q", got)
	}
}
