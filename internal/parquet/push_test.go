package parquet

import (
	"bytes"
	"io"
	"testing"

	"pgregory.net/rapid"
)

// drawTypes are columns that are nested in any way, of strings.
func drawTypes(t *rapid.T, depth int, nullable bool) Type {
	c := Type{Name: "c", Nullable: nullable, Kind: TextKind}
	if depth == 0 {
		return c
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 1:
		c.Kind = ListKind
		c.Children = []Type{drawTypes(t, depth-1, true)}
	case 2:
		c.Kind = MapKind
		c.Children = []Type{{Name: "key", Kind: TextKind}, drawTypes(t, depth-1, true)}
	case 3:
		c.Kind = StructKind
		for i := range rapid.IntRange(1, 3).Draw(t, "children") {
			child := drawTypes(t, depth-1, true)
			child.Name = string(rune('a' + i))
			c.Children = append(c.Children, child)
		}
	}
	return c
}

// push gives a value that is drawn to a target, and appends it as a reader must give it as JSON.
func push(t *rapid.T, c Type, to Target, dst []byte) []byte {
	if c.Nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		to.Null()
		return append(dst, "null"...)
	}
	n := rapid.IntRange(0, 3).Draw(t, "entries")
	switch c.Kind {
	case ListKind:
		to.Begin()
		dst = append(dst, '[')
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = push(t, c.Children[0], to.Child(0), dst)
		}
		dst = append(dst, ']')
	case MapKind:
		to.Begin()
		dst = append(dst, '{')
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(push(t, c.Children[0], to.Child(0), dst), ':')
			dst = push(t, c.Children[1], to.Child(1), dst)
		}
		dst = append(dst, '}')
	case StructKind:
		to.Begin()
		dst = append(dst, '{')
		for i, child := range c.Children {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(append(dst, '"'), child.Name...), `":`...)
			dst = push(t, child, to.Child(i), dst)
		}
		dst = append(dst, '}')
	default:
		value := rapid.SampledFrom([]string{"x", "yy", ""}).Draw(t, "value")
		to.Value([]byte(value))
		return append(append(append(dst, '"'), value...), '"')
	}
	to.End()
	return dst
}

// What is pushed into nested columns is what a reader finds there.
func TestTypedBuilder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawTypes(t, 3, true)
		var out bytes.Buffer
		b, err := NewTypedBuilder(&out, []Type{c}, []string{"key"}, []string{"value"}, Form{Program: "test"})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			want = append(want, string(push(t, c, b.Column(0), []byte(`{"c":`)))+"}\n")
			if err := b.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got, err := jsonOf(f)
		if err != io.EOF || len(got) != len(want) {
			t.Fatalf("%d rows of %d, %v", len(got), len(want), err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("row %d:\n%swant\n%s", i, got[i], want[i])
			}
		}
	})
}
