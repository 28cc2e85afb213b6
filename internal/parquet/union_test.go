package parquet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/stream"
)

// drawType draws the type of a column, with what is below it.
func drawType(t *rapid.T, name string, depth int) Type {
	c := Type{Name: name, Nullable: rapid.Bool().Draw(t, "nullable")}
	kinds := []Kind{BoolKind, IntKind, FloatKind, TextKind, FixedBytesKind, DateKind}
	if depth > 0 {
		kinds = append(kinds, StructKind, ListKind, MapKind)
	}
	switch c.Kind = rapid.SampledFrom(kinds).Draw(t, "kind"); c.Kind {
	case IntKind:
		c.Width = rapid.SampledFrom([]int{4, 8}).Draw(t, "width")
		c.Bits = 8 * c.Width
	case FloatKind:
		c.Width = 8
	case FixedBytesKind:
		c.Width = 3
	case DateKind:
		c.Width = 4
	case StructKind:
		for i := range rapid.IntRange(1, 3).Draw(t, "members") {
			c.Children = append(c.Children, drawType(t, fmt.Sprint("m", i), depth-1))
		}
	case ListKind:
		c.Children = []Type{drawType(t, "element", depth-1)}
	case MapKind:
		c.Children = []Type{{Name: "key", Kind: TextKind}, drawType(t, "value", depth-1)}
	}
	return c
}

// drawOther draws a type whose values go into one column with those of another.
func drawOther(t *rapid.T, c Type) Type {
	c.Nullable = rapid.Bool().Draw(t, "nullable there")
	if c.Kind == IntKind {
		c.Width = rapid.SampledFrom([]int{4, 8}).Draw(t, "width there")
		c.Bits = 8 * c.Width
	}
	c.Children = slices.Clone(c.Children)
	for i := range c.Children {
		if c.Kind != MapKind || i > 0 {
			c.Children[i] = drawOther(t, c.Children[i])
		}
	}
	if c.Kind == StructKind && rapid.Bool().Draw(t, "another member") {
		c.Children = append(c.Children, drawType(t, "more", 1))
	}
	if c.Kind == StructKind && len(c.Children) > 1 && rapid.Bool().Draw(t, "one member less") {
		c.Children = c.Children[1:]
	}
	return c
}

// pushAny gives a column a value.
func pushAny(t *rapid.T, to Target, c Type) {
	if c.Nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		to.Null()
		return
	}
	switch c.Kind {
	case StructKind:
		to.Begin()
		for i, child := range c.Children {
			pushAny(t, to.Child(i), child)
		}
		to.End()
	case ListKind, MapKind:
		to.Begin()
		for n := range rapid.IntRange(0, 3).Draw(t, "elements") {
			if c.Kind == MapKind {
				to.Child(0).Value(fmt.Append(nil, "key", n))
				pushAny(t, to.Child(1), c.Children[1])
			} else {
				pushAny(t, to.Child(0), c.Children[0])
			}
		}
		to.End()
	case BoolKind:
		to.Value([]byte{rapid.ByteRange(0, 1).Draw(t, "bool")})
	case TextKind:
		to.Value([]byte(rapid.StringN(0, 5, -1).Draw(t, "text")))
	default:
		to.Value(rapid.SliceOfN(rapid.Byte(), c.Width, c.Width).Draw(t, "bytes"))
	}
}

func drawFile(t *rapid.T, types []Type) []byte {
	var file bytes.Buffer
	b, err := NewTypedBuilder(&file, types, nil, nil, Form{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 5).Draw(t, "rows") {
		for i, c := range types {
			pushAny(t, b.Column(i), c)
		}
		b.EndRow()
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// rowsOf reads files as one table: as JSON, or into a file.
func rowsOf(files [][]byte, w columnar.RowNeeds, to io.Writer) (lines []string, err error) {
	w.MaxRecord = 1 << 20
	table := NewTable(w)
	for i, data := range files {
		if err := table.Expect(fmt.Sprint("file ", i), bytes.NewReader(data), int64(len(data))); err != nil {
			return nil, err
		}
	}
	sink := table.NewSink(Form{Program: "test"}, columnar.Outputs{Kept: columnar.Output{To: to}})
	for i, data := range files {
		size, done := int64(len(data)), func() error { return nil }
		r, err := table.Open(fmt.Sprint("file ", i), bytes.NewReader(data), size, done)
		for err == nil {
			var records stream.Records
			if err = r.ReadRecords(context.Background(), &records); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			for i, rec := range records.List {
				lines = append(lines, string(records.Buf[rec.Raw.Start:rec.Raw.End]))
				d := &stream.Decided{Decision: stream.Decision{Fate: stream.Unseen}, Tag: records.Tag, Number: i}
				if to == nil {
					continue
				}
				if err := sink.Observe(d); err != nil {
					return nil, err
				}
			}
		}
		if !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	if to == nil {
		return lines, nil
	}
	return lines, sink.Close()
}

// withNulls is a value of JSON with the members that are null left out.
func withNulls(t interface{ Fatal(...any) }, line string) string {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		t.Fatal(err, line)
	}
	var clean func(v any) any
	clean = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if v[name] = clean(member); v[name] == nil && !strings.HasPrefix(name, "key") {
					delete(v, name)
				}
			}
		case []any:
			for i := range v {
				v[i] = clean(v[i])
			}
		}
		return v
	}
	text, _ := json.Marshal(clean(value))
	return string(text)
}

// TestUnion writes the rows of files whose columns differ into one, and compares them as JSON with
// the rows that they were: a column that a file has not is null.
func TestUnion(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var first, second []Type
		for i := range rapid.IntRange(1, 3).Draw(rt, "columns") {
			c := drawType(rt, fmt.Sprint("c", i), 2)
			if rapid.IntRange(0, 4).Draw(rt, "in which") > 0 {
				first = append(first, c)
			}
			if rapid.IntRange(0, 4).Draw(rt, "in which") > 0 {
				second = append([]Type{drawOther(rt, c)}, second...)
			}
		}
		if len(first) == 0 || len(second) == 0 {
			rt.Skip("a file has columns")
		}
		files := [][]byte{drawFile(rt, first), drawFile(rt, second)}
		want, err := rowsOf(files, columnar.RowNeeds{AsJSON: true}, nil)
		if err != nil {
			rt.Fatal(err)
		}
		var union bytes.Buffer
		if _, err := rowsOf(files, columnar.RowNeeds{}, &union); err != nil {
			rt.Fatal(err)
		}
		got, err := rowsOf([][]byte{union.Bytes()}, columnar.RowNeeds{AsJSON: true}, nil)
		if err != nil || len(got) != len(want) {
			rt.Fatal(err, got, want)
		}
		for i := range want {
			if a, b := withNulls(rt, got[i]), withNulls(rt, want[i]); a != b {
				rt.Fatalf("row %d is %s instead of %s", i, a, b)
			}
		}
	})
}

// TestUnionOfNulls has a file in which some columns are null throughout, and so have no type.
func TestUnionOfNulls(t *testing.T) {
	nulls, err := os.ReadFile("testdata/union/nulls.parquet")
	if err != nil {
		t.Fatal(err)
	}
	var typed bytes.Buffer
	tags := Type{Name: "tags", Kind: ListKind, Nullable: true, Children: []Type{{Name: "element", Kind: TextKind}}}
	b, err := NewTypedBuilder(&typed, []Type{
		{Name: "score", Kind: FloatKind, Width: 8}, tags, {Name: "text", Kind: TextKind, Nullable: true},
	}, nil, nil, Form{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	b.Column(0).Value(make([]byte, 8))
	b.Column(1).Begin()
	b.Column(1).Child(0).Value([]byte("tag"))
	b.Column(1).End()
	b.Column(2).Value([]byte("four"))
	b.EndRow()
	b.Close()
	for _, files := range [][][]byte{{nulls, typed.Bytes()}, {typed.Bytes(), nulls}} {
		var union bytes.Buffer
		if _, err := rowsOf(files, columnar.RowNeeds{}, &union); err != nil {
			t.Fatal(err)
		}
		lines, err := rowsOf([][]byte{union.Bytes()}, columnar.RowNeeds{AsJSON: true}, nil)
		if err != nil || len(lines) != 4 {
			t.Fatal(err, lines)
		}
		all := strings.Join(lines, "")
		for _, want := range []string{`"score":0`, `"tags":["tag"]`, `"tags":[null]`, `"tags":[]`, `"text":"three"`} {
			if !strings.Contains(all, want) {
				t.Errorf("no %s in %s", want, all)
			}
		}
	}
}

// TestNoUnion has columns that cannot stand in one, and files that are to have the same.
func TestNoUnion(t *testing.T) {
	file := func(types ...Type) []byte {
		var file bytes.Buffer
		b, err := NewTypedBuilder(&file, types, nil, nil, Form{Program: "test"})
		if err == nil {
			err = b.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	text, long := Type{Name: "a", Kind: TextKind}, Type{Name: "a", Kind: IntKind, Width: 8, Bits: 64}
	unsigned, whole := long, Type{Name: "a", Kind: StructKind, Children: []Type{{Name: "b", Kind: TextKind}}}
	unsigned.Unsigned = true
	stamp := Type{Name: "a", Kind: TimestampKind, Width: 8, Unit: 1e6}
	for _, pair := range [][2]Type{{text, long}, {long, unsigned}, {text, whole}, {long, stamp}} {
		_, err := rowsOf([][]byte{file(pair[0]), file(pair[1])}, columnar.RowNeeds{}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), `column "a" is `) || !strings.Contains(err.Error(), "--output-dir") {
			t.Error(err)
		}
		both := [][]byte{file(pair[0]), file(pair[1])}
		if _, err := rowsOf(both, columnar.RowNeeds{Unwritten: true}, nil); err != nil {
			t.Error(err)
		}
	}
	nullable := text
	nullable.Nullable = true
	files := [][]byte{file(text), file(nullable)}
	if _, err := rowsOf(files, columnar.RowNeeds{Strict: true}, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "--union strict requires the same") {
		t.Error(err)
	}
	if _, err := rowsOf(files, columnar.RowNeeds{}, io.Discard); err != nil {
		t.Error(err)
	}
}
