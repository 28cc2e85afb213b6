package parquet

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

func fieldOf(t *testing.T, path string) record.Field {
	t.Helper()
	f, err := record.ParseField(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTextsOfFields takes texts out of lists and structs, at every place.
func TestTextsOfFields(t *testing.T) {
	f := open(t, read(t, "testdata/types.parquet"))
	var rows Rows
	if err := f.Read(&rows); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"text":              {"The river rises in a meadow.", "", "quotes \" and \\ and \n\t\x01 and é 河"},
		"struct.title":      {"Bread"},
		"lists.0.0":         {"a"},
		"lists.0.1":         {"b"},
		"lists.3.0":         {"c"},
		"lists.1.0":         nil, // the list is empty
		"lists.2.0":         nil, // it is null
		"lists.4.0":         nil, // there is none
		"structs.0.role":    {"user"},
		"structs.1.role":    {"model"},
		"structs.0.parts.1": {"there"},
		"structs.1.parts.0": nil,
		"lists[][]":         {"a\nb\nc"},
		"lists.3[]":         {"c"},
		"lists[].1":         {"b"},
		"structs[].role":    {"user\nmodel"},
		"structs.*.parts.1": {"there"},
		"category":          {"red", "green"},
	} {
		field, err := f.Schema().field(fieldOf(t, path), columnar.AsText)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for i := range rows.Len() {
			if text, ok := field.AppendText(nil, &rows, i, 1<<20); ok && !slices.Contains(got, string(text)) {
				got = append(got, string(text))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestFieldsThatHaveNoText(t *testing.T) {
	f := open(t, read(t, "testdata/types.parquet"))
	for path, want := range map[string]string{
		"title":            `it has no column "title"; its columns are text, bool, int8`,
		"text.more":        `it has no column "text.more"`,
		"struct.none":      `it has no column "struct.none"`,
		"struct":           `field "struct": it has columns below it: name one, such as struct.title`,
		"int64":            `field "int64": it is not text, but optional INT64`,
		"uuid":             `field "uuid": it is not text, but optional FIXED_LEN_BYTE_ARRAY(16) as UUID`,
		"decimal9":         `field "decimal9": it is not text, but optional INT32 as DECIMAL(9, 2)`,
		"lists":            `field "lists": lists is a list: name an element of it, such as lists.0`,
		"lists.0":          `field "lists.0": lists.0 is a list: name an element of it, such as lists.0.0`,
		"structs.role":     `field "structs.role": structs is a list`,
		"map.a":            `field "map.a": map is a map, in which no text can be named`,
		"lists.4294967296": `field "lists.4294967296": lists is a list`,
	} {
		_, err := f.Schema().field(fieldOf(t, path), columnar.AsText)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// recordsOf reads a file as a run does.
func recordsOf(t *testing.T, table *Table, path string) (texts, raws []string, problems []record.Problem) {
	t.Helper()
	data := read(t, path)
	r, err := table.Open(path, bytes.NewReader(data), int64(len(data)), func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for err == nil {
		var to stream.Records
		err = r.ReadRecords(context.Background(), &to)
		for _, rec := range to.List {
			texts = append(texts, string(to.Buf[rec.Text.Start:rec.Text.End]))
			raws = append(raws, string(to.Buf[rec.Raw.Start:rec.Raw.End]))
			problems = append(problems, rec.Problem)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return texts, raws, problems
}

// TestRecordsOfATable joins several fields, and leaves out what is too long.
func TestRecordsOfATable(t *testing.T) {
	fields := []record.Field{fieldOf(t, "label"), fieldOf(t, "tags.0"), fieldOf(t, "text")}
	table := NewTable(columnar.RowNeeds{Fields: fields, MaxRecord: 60, AsJSON: true})
	texts, raws, problems := recordsOf(t, table, "testdata/words-snappy.parquet")
	rows := expected(t, "testdata/words-snappy.parquet")
	for i := range rows {
		if !sameJSON(t, raws[i], rows[i]) {
			t.Errorf("row %d: %s, want %s", i, raws[i], rows[i])
		}
	}
	for i, want := range map[int]struct {
		text    string
		problem record.Problem
	}{
		0:  {"", record.Problem{}},
		4:  {"", record.TooLong},
		7:  {"green\nt0\n", record.Problem{}},
		1:  {"green\nt0\nrecord 1 of many, ", record.Problem{}},
		6:  {"", record.TooLong},
		11: {"", record.TooLong},
	} {
		if texts[i] != want.text || problems[i] != want.problem {
			t.Errorf("row %d: %q, %v, want %q, %v", i, texts[i], problems[i], want.text, want.problem)
		}
	}
}
