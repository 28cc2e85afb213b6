package arrow

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

func pathsOf(t *testing.T, paths ...string) (fields []record.Field) {
	t.Helper()
	for _, path := range paths {
		f, err := record.ParseField(path)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	return fields
}

// openNamed opens a file of testdata as an input of a table.
func openNamed(t *testing.T, table *Table, name string) stream.RecordReader {
	t.Helper()
	return openBytes(t, table, read(t, name))
}

// openBytes opens the bytes of a file as an input of a table.
func openBytes(t *testing.T, table *Table, data []byte) stream.RecordReader {
	t.Helper()
	var r stream.RecordReader
	var err error
	if needsFooter(data[:min(len(data), HeadBytes)]) {
		r, err = table.OpenFile("test", bytes.NewReader(data), int64(len(data)), func() error { return nil })
	} else {
		r, err = table.Open("test", io.NopCloser(bytes.NewReader(data)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// eachRecord calls do for each record of a reader.
func eachRecord(t *testing.T, r stream.RecordReader, do func(to *stream.Records, i int)) {
	t.Helper()
	for {
		var to stream.Records
		err := r.ReadRecords(context.Background(), &to)
		for i := range to.List {
			do(&to, i)
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// namedTypes are columns of types.arrow whose values name records, as JSON has them.
func namedTypes(t *testing.T, file string) (fields []string) {
	in, err := open(read(t, file))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range in.Schema().Fields() {
		path, err := record.ParseField(f.Name)
		if err != nil {
			continue
		}
		isText := strings.Contains(f.Type.String(), "binary") // base64 in JSON
		if _, err := fieldOf(in.Schema(), path, columnar.AsName); err == nil && !isText {
			fields = append(fields, f.Name)
		}
	}
	return fields
}

// TestNamesAreThoseOfTheJSON compares the value of each column with what the row has as JSON, in
// all files.
func TestNamesAreThoseOfTheJSON(t *testing.T) {
	compared := 0
	for _, file := range testFiles(t) {
		fields := namedTypes(t, file)
		r := openNamed(t, NewTable(asJSON()), file)
		if err := r.(stream.Namer).Name(pathsOf(t, fields...)); err != nil {
			t.Fatal(err)
		}
		eachRecord(t, r, func(to *stream.Records, i int) {
			var members map[string]json.RawMessage
			raw := to.List[i].Raw
			if err := json.Unmarshal(to.Buf[raw.Start:raw.End], &members); err != nil {
				t.Fatal(err)
			}
			for j, field := range fields {
				span := to.Named[i*len(fields)+j]
				got, want := string(to.Buf[span.Start:span.End]), string(members[field])
				if want == "null" && got == "" {
					continue // a number that is none is handed over as null
				}
				if compared++; got != want {
					t.Errorf("%s: %s is %s, want %s", file, field, got, want)
				}
			}
		})
	}
	if compared < 1000 {
		t.Errorf("only %d values were compared", compared)
	}
}

// TestKeysOfColumns: what is no text is one as it stands in JSON, without quotes.
func TestKeysOfColumns(t *testing.T) {
	for _, field := range namedTypes(t, "types.arrow") {
		table := NewTable(keyed(asJSON(pathsOf(t, field)...)))
		eachRecord(t, openNamed(t, table, "types.arrow"), func(to *stream.Records, i int) {
			var members map[string]json.RawMessage
			rec := to.List[i]
			if err := json.Unmarshal(to.Buf[rec.Raw.Start:rec.Raw.End], &members); err != nil {
				t.Fatal(err)
			}
			want := string(members[field])
			if want == "null" {
				return
			}
			if want[0] == '"' {
				if err := json.Unmarshal(members[field], &want); err != nil {
					t.Fatal(err)
				}
			}
			if got := string(to.Buf[rec.Text.Start:rec.Text.End]); got != want {
				t.Errorf("%s is %q, want %q", field, got, want)
			}
		})
	}
}

func TestFieldsThatNameNothing(t *testing.T) {
	in, err := newReader(strings.NewReader(string(read(t, "types.arrow"))), newLimits(0))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"none":   `it has no column "none"`,
		"list[]": `field "list[]" has several values: name one of them, by its number`,
		"struct": `field "struct": it has columns below it`,
	} {
		_, err := fieldOf(in.Schema(), pathsOf(t, path)[0], columnar.AsName)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
