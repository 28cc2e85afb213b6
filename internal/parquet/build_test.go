package parquet

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// someColumns has one column of each type.
var someColumns = []columns.Column{
	{Name: "flag", Kind: columns.Bool}, {Name: "id", Kind: columns.Integer},
	{Name: "score", Kind: columns.Number}, {Name: "text", Kind: columns.String},
	{Name: "more", Kind: columns.JSON},
}

// buildRows makes rows with nulls, and with long and repeated values. It returns them as JSON, too.
func buildRows(t testing.TB, n int) (file []byte, lines []string) {
	t.Helper()
	var out bytes.Buffer
	b, err := NewBuilder(&out, someColumns, Form{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		line := fmt.Sprintf(`{"flag":%t,"id":%d,"score":%d.5`, i%3 == 0, i-5, i)
		b.Bool(i%3 == 0)
		b.Int64(int64(i - 5))
		b.Double(float64(i) + 0.5)
		if i%4 == 1 {
			b.Null()
			line += `,"text":null`
		} else {
			text := strings.Repeat(fmt.Sprint("word ", i%7, " "), 1+i%200)
			b.Bytes([]byte(text))
			line += fmt.Sprintf(`,"text":%q`, text)
		}
		b.Bytes([]byte(`[1]`))
		lines = append(lines, line+`,"more":[1]}`)
		if err := b.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), lines
}

func TestBuilder(t *testing.T) {
	for _, n := range []int{0, 1, 5000} {
		file, want := buildRows(t, n)
		f := open(t, file)
		got, err := jsonOf(f)
		if err != io.EOF && err != nil || len(got) != n {
			t.Fatalf("%d rows of %d, %v", len(got), n, err)
		}
		for i := range got {
			if strings.TrimSpace(got[i]) != want[i] {
				t.Fatalf("row %d:\n%s\nwant\n%s", i, got[i], want[i])
			}
		}
		for i, c := range f.Schema().columns {
			names := []string{"optional BOOLEAN", "optional INT64", "optional DOUBLE", "optional BYTE_ARRAY as STRING",
				"optional BYTE_ARRAY as JSON"}
			if c.describe() != names[i] {
				t.Errorf("column %s is %s", c.name(), c.describe())
			}
		}
	}
	_, err := NewBuilder(new(bytes.Buffer), nil, Form{Program: "test"})
	if err == nil || err.Error() != "it has no columns" {
		t.Errorf("without columns: %v", err)
	}
}
