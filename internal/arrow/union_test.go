package arrow

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
)

// streamOf is a stream of one batch, whose rows stand in JSON.
func streamOf(t *testing.T, rows string, fields ...arrow.Field) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(batch), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// union writes streams into one.
func union(t *testing.T, of columnar.RowNeeds, streams ...[]byte) (lines string, err error) {
	t.Helper()
	of.MaxRecord = 1 << 20
	table := NewTable(of)
	for _, s := range streams {
		if err := table.Expect("stream", bytes.NewReader(s)); err != nil {
			return "", err
		}
	}
	var out bytes.Buffer
	sink := table.NewSink(columnar.Outputs{Kept: columnar.Output{To: &out, Path: "a.arrows"}})
	for _, s := range streams {
		if err := takeAll(t, table, s, sink); err != nil {
			return "", err
		}
	}
	if err := sink.Close(); err != nil {
		return "", err
	}
	return strings.Join(mustLines(t, out.Bytes()), ""), nil
}

// TestUnion writes rows of streams whose fields differ into one.
func TestUnion(t *testing.T) {
	p := &arrow.PrimitiveTypes
	field := func(name string, t arrow.DataType, nullable bool) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: nullable}
	}
	pair := func(a arrow.DataType) arrow.DataType {
		return arrow.StructOf(field("x", a, true), field("y", arrow.BinaryTypes.String, true))
	}
	alone := arrow.StructOf(field("z", arrow.FixedWidthTypes.Boolean, false))
	first := streamOf(t, `[{"n":-5,"f":1.5,"s":{"x":1,"y":"a"},"l":[1,null],"u":7,"none":null}]`,
		field("n", p.Int32, false), field("f", p.Float32, true), field("s", pair(p.Int8), true),
		field("l", arrow.ListOf(p.Int16), true), field("u", p.Uint8, true), field("none", arrow.Null, true))
	second := streamOf(t, `[{"more":"b","none":"c","l":[70000],"s":{"z":true},"n":5000000000},{"more":"d","n":null}]`,
		field("more", arrow.BinaryTypes.String, true), field("none", arrow.BinaryTypes.String, true),
		field("l", arrow.ListOf(p.Int32), true), field("s", alone, true), field("n", p.Int64, true))
	got, err := union(t, columnar.RowNeeds{}, first, second)
	want := `{"n":-5,"f":1.5,"s":{"x":1,"y":"a","z":null},"l":[1,null],"u":7,"none":null,"more":null}
{"n":5000000000,"f":null,"s":{"x":null,"y":null,"z":true},"l":[70000],"u":null,"none":"c","more":"b"}
{"n":null,"f":null,"s":null,"l":null,"u":null,"none":null,"more":"d"}
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	got, err = union(t, columnar.RowNeeds{}, second, first)
	want = `{"more":"b","none":"c","l":[70000],"s":{"z":true,"x":null,"y":null},"n":5000000000,"f":null,"u":null}
{"more":"d","none":null,"l":null,"s":null,"n":null,"f":null,"u":null}
{"more":null,"none":null,"l":[1,null],"s":{"z":null,"x":1,"y":"a"},"n":-5,"f":1.5,"u":7}
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := union(t, columnar.RowNeeds{Strict: true}, first, second); err == nil ||
		!strings.Contains(err.Error(), "--union strict requires the same") {
		t.Error(err)
	}
	for _, other := range []arrow.DataType{arrow.BinaryTypes.String, p.Uint64, p.Float64} {
		data := streamOf(t, `[]`, field("n", other, true))
		if _, err := union(t, columnar.RowNeeds{}, first, data); err == nil ||
			!strings.Contains(err.Error(), `column "n" is int32 there`) {
			t.Error(other, err)
		}
	}
}
