package arrow

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

func openTable(t *testing.T, name string) stream.RecordReader {
	t.Helper()
	field, err := record.ParseField("text")
	if err != nil {
		t.Fatal(err)
	}
	return openNamed(t, NewTable(asJSON(field)), name)
}

// TestSkip goes on after each row, in the same input and in another one.
func TestSkip(t *testing.T) {
	lines := mustLines(t, read(t, "types.arrow"))
	var records stream.Records
	if err := openTable(t, "types.arrow").ReadRecords(context.Background(), &records); err != nil {
		t.Fatal(err)
	}
	for n := range len(lines) + 1 {
		r := openTable(t, "types.arrow")
		if err := r.Skip(stream.Position{Name: "x", Records: uint64(n), Head: records.Head}); err != nil {
			t.Fatal(err)
		}
		var rest strings.Builder
		for {
			var records stream.Records
			err := r.ReadRecords(context.Background(), &records)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, record := range records.List {
				rest.Write(records.Buf[record.Raw.Start:record.Raw.End])
			}
		}
		if rest.String() != strings.Join(lines[n:], "") {
			t.Errorf("after %d rows follow others", n)
		}
	}
	for name, n := range map[string]uint64{"types.arrow": 25, "few.arrow": 3} {
		err := openTable(t, name).Skip(stream.Position{Name: name, Records: n, Head: records.Head})
		if err == nil || !strings.Contains(err.Error(), "is not the input of the run to be resumed") {
			t.Errorf("%s after %d rows: %v", name, n, err)
		}
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
