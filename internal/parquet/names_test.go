package parquet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// named reads the values of some fields of a file, and its rows as JSON.
func named(t *testing.T, path string, fields ...string) (values [][]string, rows []string) {
	t.Helper()
	data := read(t, path)
	file := bytes.NewReader(data)
	r, err := NewTable(asJSON()).Open(path, file, file.Size(), func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var paths []record.Field
	for _, f := range fields {
		paths = append(paths, fieldOf(t, f))
	}
	if err := r.(stream.Namer).Name(paths); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		var to stream.Records
		err = r.ReadRecords(context.Background(), &to)
		for i, rec := range to.List {
			rows = append(rows, string(to.Buf[rec.Raw.Start:rec.Raw.End]))
			var list []string
			for _, span := range to.Named[i*len(fields) : (i+1)*len(fields)] {
				list = append(list, string(to.Buf[span.Start:span.End]))
			}
			values = append(values, list)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return values, rows
}

// TestNamesAreThoseOfTheJSON compares the value of each column with what the row has as JSON.
func TestNamesAreThoseOfTheJSON(t *testing.T) {
	fields := []string{
		"text", "int8", "int64", "uint64", "float32", "float64", "decimal9", "decimal38", "large", "fixed", "uuid",
		"date", "time_us", "stamp_ms", "stamp_ns", "category", "required",
	}
	values, rows := named(t, "testdata/types.parquet", fields...)
	seen := map[string]int{}
	for i, row := range rows {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(row), &members); err != nil {
			t.Fatal(err)
		}
		for j, field := range fields {
			want, got := string(members[field]), values[i][j]
			if want != "null" {
				seen[field]++
			} else if got == "" {
				continue // a number that is none is handed over as null
			}
			if got != want {
				t.Errorf("row %d: %s is %s, want %s", i, field, got, want)
			}
		}
	}
	for _, field := range fields {
		if seen[field] == 0 {
			t.Errorf("no row has %s: the comparison says nothing about it", field)
		}
	}
}

// TestNamesBelowColumns takes values out of structs and lists.
func TestNamesBelowColumns(t *testing.T) {
	values, rows := named(t, "testdata/types.parquet", "struct.title", "struct.n", "list.0", "structs.1.role")
	for i, row := range rows {
		var members struct {
			Struct  struct{ Title, N json.RawMessage }
			List    []json.RawMessage
			Structs []struct{ Role json.RawMessage }
		}
		if err := json.Unmarshal([]byte(row), &members); err != nil {
			t.Fatal(err)
		}
		want := []string{string(members.Struct.Title), string(members.Struct.N), "", ""}
		if len(members.List) > 0 {
			want[2] = string(members.List[0])
		}
		if len(members.Structs) > 1 {
			want[3] = string(members.Structs[1].Role)
		}
		for j := range want {
			if want[j] == "null" {
				want[j] = ""
			}
		}
		if got := fmt.Sprint(values[i]); got != fmt.Sprint(want) {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
}

func TestFieldsThatNameNothing(t *testing.T) {
	f := open(t, read(t, "testdata/types.parquet"))
	for path, want := range map[string]string{
		"title":   `it has no column "title"`,
		"none":    `it has no column "none"`,
		"list[]":  `field "list[]" has several values: name one of them, by its number`,
		"struct":  `field "struct": it has columns below it`,
		"int_map": `field "int_map": int_map is a map`,
	} {
		_, err := f.Schema().field(fieldOf(t, path), columnar.AsName)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestKeysOfColumns: what is no text is one as it stands in JSON.
func TestKeysOfColumns(t *testing.T) {
	for path, want := range map[string]string{
		"int64": "-9223372036854775808", "bool": "false", "date": "2024-02-29", "decimal9": "-0.01",
		"uuid": "01234567-89ab-cdef-0123-456789abcdef", "stamp_us": "2024-02-29T13:37:00.123456Z",
		"text": "The river rises in a meadow.", "list[]": "1\n\\0\n3",
	} {
		table := NewTable(keyed(asJSON(fieldOf(t, path))))
		texts, _, problems := recordsOf(t, table, "testdata/types.parquet")
		for i, text := range texts {
			if problems[i] == (record.Problem{}) {
				if text != want {
					t.Errorf("%s is %q, want %q", path, text, want)
				}
				break
			}
			if i == len(texts)-1 {
				t.Errorf("%s: no row has it: %v", path, problems[0])
			}
		}
	}
}

// TestWrongFieldEndsTheRun: if the first file has no such column it is the field that is wrong; a
// later file without it is left out like one that cannot be read.
func TestWrongFieldEndsTheRun(t *testing.T) {
	opened := func(table *Table, path string) error {
		data := read(t, path)
		r, err := table.Open(path, bytes.NewReader(data), int64(len(data)), func() error { return nil })
		if err == nil {
			err = r.(stream.Namer).Name([]record.Field{fieldOf(t, "x")})
		}
		return err
	}
	isFatal := func(err error) bool {
		return err != nil && fmt.Sprintf("%T", err) == fmt.Sprintf("%T", record.Fatal(errors.New("any")))
	}
	const with, without = "testdata/words-snappy.parquet", "testdata/types.parquet"
	if err := opened(NewTable(asJSON(fieldOf(t, "label"))), without); !isFatal(err) {
		t.Errorf("no text in the first file: %v", err)
	}
	if err := opened(NewTable(asJSON()), without); !isFatal(err) {
		t.Errorf("no name in the first file: %v", err)
	}
	table := NewTable(asJSON(fieldOf(t, "text")))
	if err := opened(table, with); err != nil {
		t.Fatal(err)
	}
	if err := opened(table, without); err == nil || isFatal(err) {
		t.Errorf("no name in the second file: %v", err)
	}
}

// asJSON wants rows as JSON, and texts in the given fields.
func asJSON(fields ...stream.Field) columnar.RowNeeds {
	return columnar.RowNeeds{Fields: fields, MaxRecord: 1 << 20, AsJSON: true}
}

// keyed wants the same of fields that may have other things than texts.
func keyed(of columnar.RowNeeds) columnar.RowNeeds {
	of.Exact = true
	return of
}
