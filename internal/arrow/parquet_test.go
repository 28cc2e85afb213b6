package arrow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
	"github.com/mithril-stream/mithril-stream/stream"
)

const parquetFiles = "../parquet/testdata/"

var namesOfForms = map[Form]string{Stream: "a.arrows", File: "a.feather"}

// fromParquet makes Arrow of all rows of a Parquet file.
func fromParquet(t *testing.T, path string, form Form) []byte {
	t.Helper()
	table := parquet.NewTable(columnar.RowNeeds{MaxRecord: 1 << 20})
	var out bytes.Buffer
	sink := NewParquetSink(table, columnar.Outputs{Kept: columnar.Output{To: &out, Path: namesOfForms[form]}})
	eachParquet(t, table, path, func(records *stream.Records, i int) {
		d := &stream.Decided{Decision: stream.Decision{Fate: stream.Unseen}, Tag: records.Tag, Number: i}
		if err := sink.Observe(d); err != nil {
			t.Fatal(err)
		}
	})
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// parquetLines are all rows of a Parquet file as JSON.
func parquetLines(t *testing.T, path string) string {
	t.Helper()
	var lines strings.Builder
	eachParquet(t, parquet.NewTable(asJSON()), path, func(records *stream.Records, i int) {
		raw := records.List[i].Raw
		lines.Write(records.Buf[raw.Start:raw.End])
	})
	return lines.String()
}

func eachParquet(t *testing.T, table *parquet.Table, path string, do func(records *stream.Records, i int)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := table.Open(path, bytes.NewReader(data), int64(len(data)), func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		var records stream.Records
		if err = r.ReadRecords(context.Background(), &records); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for i := range records.List {
			do(&records, i)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFromParquet compares the rows of Parquet files, as JSON, with the rows of the Arrow that is
// made of them.
func TestFromParquet(t *testing.T) {
	files, err := filepath.Glob(parquetFiles + "*.parquet")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		want := parquetLines(t, name)
		for _, form := range []Form{Stream, File} {
			got := strings.Join(mustLines(t, fromParquet(t, name, form)), "")
			if got != want {
				t.Errorf("%s as a %s:\n%s", name, form, firstDifference(got, want))
			}
		}
	}
}

func firstDifference(got, want string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			from := max(0, i-60)
			return fmt.Sprintf("%s\ninstead of\n%s", got[from:min(len(got), i+60)], want[from:min(len(want), i+60)])
		}
	}
	return fmt.Sprintf("%d bytes instead of %d", len(got), len(want))
}

// TestTypesFromParquet keeps the types, with what Arrow has noted of them in the file.
func TestTypesFromParquet(t *testing.T) {
	in, err := newReader(bytes.NewReader(fromParquet(t, parquetFiles+"types.parquet", Stream)), newLimits(0))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range in.Schema().Fields() {
		got[f.Name] = f.Type.String()
	}
	for name, want := range map[string]string{
		"text": "utf8", "large": "large_utf8", "stamp_us": "timestamp[us, tz=Europe/Berlin]",
	} {
		if got[name] != want {
			t.Errorf("%s is %s instead of %s; all are %v", name, got[name], want, got)
		}
	}
	metadata := in.Schema().Metadata()
	if metadata.FindKey("huggingface") < 0 || metadata.FindKey(schemaKey) >= 0 {
		t.Errorf("the metadata are %v", metadata.Keys())
	}
}

// toParquet makes Parquet of all rows of a file, and returns these as JSON.
func toParquet(t *testing.T, data []byte) string {
	t.Helper()
	table := NewTable(columnar.RowNeeds{MaxRecord: 1 << 20})
	r := openBytes(t, table, data)
	made := filepath.Join(t.TempDir(), "made.parquet")
	out, err := os.Create(made)
	if err != nil {
		t.Fatal(err)
	}
	sink := table.NewToParquet(parquet.Form{Program: "test"}, columnar.Outputs{Kept: columnar.Output{To: out}})
	for err == nil {
		var records stream.Records
		if err = r.ReadRecords(context.Background(), &records); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for i := range records.List {
			d := &stream.Decided{Decision: stream.Decision{Fate: stream.Unseen}, Tag: records.Tag, Number: i}
			if err := sink.Observe(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(sink.Close(), r.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	return made
}

// TestToParquet compares the values of all types with those in the Parquet that is made of them:
// they are the same, or the same as JSON.
func TestToParquet(t *testing.T) {
	for _, name := range testFiles(t) {
		want := mustLines(t, read(t, name))
		got := strings.SplitAfter(parquetLines(t, toParquet(t, read(t, name))), "\n")
		if len(got)-1 != len(want) {
			t.Fatalf("%s: %d rows instead of %d", name, len(got)-1, len(want))
		}
		for i := range want {
			var a, b map[string]json.RawMessage
			if err := errors.Join(json.Unmarshal([]byte(want[i]), &a), json.Unmarshal([]byte(got[i]), &b)); err != nil {
				t.Fatal(err)
			}
			for column, value := range a {
				quoted := jsontext.AppendQuoted(nil, value)
				if !bytes.Equal(value, b[column]) && !bytes.Equal(quoted, b[column]) || len(a) != len(b) {
					t.Errorf("%s, row %d: %q is %s instead of %s", name, i, column, b[column], value)
				}
			}
		}
	}
}

// TestDecimals fills and cuts integers of other widths.
func TestDecimals(t *testing.T) {
	to := &target{column: &column{layout: layout{width: 4}}, of: parquet.Type{BigEndian: true}}
	for _, c := range []struct{ stored, want []byte }{
		{[]byte{1, 2}, []byte{2, 1, 0, 0}}, {[]byte{0xff}, []byte{0xff, 0xff, 0xff, 0xff}}, {nil, make([]byte, 4)},
		{[]byte{0, 0, 1, 2, 3, 4}, []byte{4, 3, 2, 1}}, {[]byte{0xff, 0x80, 0, 0, 0}, []byte{0, 0, 0, 0x80}},
	} {
		if got := to.decimal(c.stored); !bytes.Equal(got, c.want) {
			t.Errorf("% x is % x instead of % x", c.stored, got, c.want)
		}
	}
	for _, stored := range [][]byte{{1, 0, 0, 0, 0}, {0, 0x80, 0, 0, 0}, {0xff, 0x7f, 0, 0, 0}} {
		var err error
		func() {
			defer recovered(&err)
			to.decimal(stored)
		}()
		if !errors.Is(err, errDecimal) {
			t.Errorf("% x: %v", stored, err)
		}
	}
}
