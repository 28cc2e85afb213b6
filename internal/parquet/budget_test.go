package parquet

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// schemaOf is a schema of groups, one in the other, that many, and that many columns in the last.
func schemaOf(t *testing.T, depth, columns int) *Schema {
	t.Helper()
	var w thriftWriter
	element := func(fill func()) {
		w.open()
		fill()
		w.close()
	}
	w.buf = append(w.buf, 0xf0|thriftStruct, byte((1+depth+columns)&0x7f|0x80), byte((1+depth+columns)>>7&0x7f|0x80),
		byte((1+depth+columns)>>14))
	for i := range 1 + depth {
		element(func() {
			w.i32(3, int32(required))
			w.string(4, "group")
			if children := int32(columns); i == depth {
				w.i32(5, children)
			} else {
				w.i32(5, 1)
			}
		})
	}
	for range columns {
		element(func() {
			w.i32(1, int32(byteArray))
			w.i32(3, int32(required))
			w.string(4, "c")
		})
	}
	s, err := parseSchema(w.buf)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A schema that is deep and wide takes memory for what it has, not for depth times width.
func TestDeepSchemas(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := schemaOf(t, 250, 20_000)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 32<<20 {
		t.Errorf("took %d bytes of memory", taken)
	}
	if path := s.columns[19_999].path(); len(path) != 251 || path[249] != "group" || path[250] != "c" {
		t.Errorf("a path of %d names that ends in %q", len(path), path[len(path)-2:])
	}
}

// A few KB with two long values in each of six columns, in one page, which is held until the second
// one is read.
func TestBudget(t *testing.T) {
	const columns, size = 6, 4 << 20
	like := &File{footer: &footer{schema: schemaOf(t, 0, columns)}}
	var file bytes.Buffer
	w := NewWriter(&file, like, Form{Program: "test"})
	var rows Rows
	rows.reset(like.footer.schema)
	rows.n = 2
	for i := range w.columns {
		w.columns[i].codec = zstandard
		v := &rows.columns[i]
		for n := range rows.n {
			v.appendBytes(bytes.Repeat([]byte("y"), size))
			v.rows = append(v.rows, mark{levels: n + 1, values: n + 1})
		}
	}
	if err := w.Write(&rows, 0, rows.n); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		budget budget
		want   string
	}{
		{budget{pages: 64 << 20, row: 32 << 20}, ""},
		{budget{pages: 20 << 20, row: 32 << 20}, "the pages of its columns take more than 20 MiB together"},
		{budget{pages: 64 << 20, row: 20 << 20}, "a row has more than 20 MiB"},
	} {
		f, err := openWith(&c.budget, bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for err == nil {
			if err = f.Read(&rows); err == nil {
				read += rows.Len()
			}
		}
		switch {
		case c.want == "" && read == 2:
		case c.want != "" && strings.Contains(err.Error(), c.want) && read == 0:
		default:
			t.Errorf("%+v: %d rows, then %v; want %q", c.budget, read, err, c.want)
		}
		f.Close()
	}
}
