package parquet

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestTextsAlone: a table of which nothing but fields is wanted gives the same texts, names and
// problems, whatever else is in it.
func TestTextsAlone(t *testing.T) {
	for _, c := range []struct{ path, field, name string }{
		{"testdata/words-snappy.parquet", "text", "label"}, {"testdata/words-snappy.parquet", "tags[]", "text"},
		{"testdata/types.parquet", "text", "uint64"},
	} {
		texts := map[bool][]string{}
		for _, only := range []bool{false, true} {
			of := columnar.RowNeeds{Fields: []record.Field{fieldOf(t, c.field)}, MaxRecord: 1 << 20, FieldsOnly: only}
			data := read(t, c.path)
			r, err := NewTable(of).Open(c.path, farFile(data), int64(len(data)), func() error { return nil })
			if err == nil {
				err = r.(stream.Namer).Name([]record.Field{fieldOf(t, c.name)})
			}
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				var to stream.Records
				if err = r.ReadRecords(t.Context(), &to); only && to.Tag != nil {
					t.Error("rows that nobody writes are held")
				}
				for i, rec := range to.List {
					named := to.Named[i]
					texts[only] = append(texts[only], fmt.Sprintf("%q %q %v", to.Buf[rec.Text.Start:rec.Text.End],
						to.Buf[named.Start:named.End], rec.Problem))
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if len(texts[true]) == 0 || !slices.Equal(texts[true], texts[false]) {
			t.Errorf("%s: %d texts, want %d", c.field, len(texts[true]), len(texts[false]))
		}
	}
}

// TestOtherColumnsAreNotRead: what is wrong in a column that nobody wants is not met.
func TestOtherColumnsAreNotRead(t *testing.T) {
	data := read(t, "testdata/words-snappy.parquet")
	f := open(t, data)
	g, err := f.footer.group(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range f.footer.schema.columns {
		if c.name() != `"text"` {
			clear(data[g.chunks[i].start : g.chunks[i].start+20])
		}
	}
	for _, only := range []bool{true, false} {
		of := columnar.RowNeeds{Fields: []record.Field{fieldOf(t, "text")}, MaxRecord: 1 << 20, FieldsOnly: only}
		r, err := NewTable(of).Open("x", farFile(data), int64(len(data)), func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		var to stream.Records
		if err := r.ReadRecords(t.Context(), &to); (err == nil) != only || (len(to.List) > 0) != only {
			t.Errorf("fields only %t: %d records, %v", only, len(to.List), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
