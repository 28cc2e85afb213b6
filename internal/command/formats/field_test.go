package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/textfield"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestSampledPaths: the first and the last input are sampled, and the others evenly, each once.
func TestSampledPaths(t *testing.T) {
	for _, c := range []struct {
		inputs, chosen int
		format, prefix string
	}{
		{1, 1, "jsonl", ""}, {2, 2, "jsonl", ""}, {64, 64, "jsonl", ""}, {65, 64, "jsonl", ""}, {1000, 64, "jsonl", ""},
		{7, 7, "parquet", ""}, {9, 8, "parquet", ""}, {100, 8, "jsonl", "https://example.org/"},
	} {
		var paths []string
		for i := range c.inputs {
			paths = append(paths, fmt.Sprint(c.prefix, "in", i))
		}
		f := &finder{Request: Request{Settings: layout.Settings{Name: c.format}, Paths: paths}}
		chosen, others := f.sampledPaths()
		if len(chosen) != c.chosen || len(chosen)+len(others) != len(paths) {
			t.Errorf("%d inputs: %d and %d", c.inputs, len(chosen), len(others))
		}
		if chosen[0] != paths[0] || chosen[len(chosen)-1] != paths[len(paths)-1] {
			t.Errorf("%d inputs: from %s to %s", c.inputs, chosen[0], chosen[len(chosen)-1])
		}
		all := slices.Sorted(slices.Values(slices.Concat(chosen, others)))
		if slices.Sort(paths); !slices.Equal(all, paths) {
			t.Errorf("%d inputs: %q", c.inputs, all)
		}
	}
}

// TestLaterFields: what is looked at depends only on the records, and they are passed on.
func TestLaterFields(t *testing.T) {
	found, _ := textfield.Find([]textfield.Sample{{Records: [][]byte{[]byte(`{"q":"one two three"}`)}}}, false)
	var records bytes.Buffer
	for i := range 9000 {
		fmt.Fprintf(&records, `{"q":"one two three","answer":"%d %s"}`+"\n", i, strings.Repeat("four ", i%100))
	}
	records.WriteString(`{"q":"` + strings.Repeat("long ", laterLongest) + `","answer":"five"}` + "\n")
	var said []string
	for _, size := range []int{1, 7, 4096, records.Len()} {
		s := &Source{Settings: layout.Settings{Name: "jsonl"}, Found: found}
		var out bytes.Buffer
		opts := &stream.Options{}
		opts.Duplicates = &out
		l := s.WatchLater(opts)
		for part := range slices.Chunk(records.Bytes(), size) {
			if n, err := opts.Duplicates.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if !bytes.Equal(out.Bytes(), records.Bytes()) {
			t.Errorf("in parts of %d: the records changed", size)
		}
		text, ok := l.Found()
		if !ok || text.Fields != "answer" || text.Flags != "--field q --field 'answer?'" {
			t.Errorf("%+v", text)
		}
		if l.looked > laterBytes+int64(records.Len()/laterShare)+1000 {
			t.Errorf("looked at %d bytes", l.looked)
		}
		said = append(said, fmt.Sprint(text))
	}
	if said = slices.Compact(said); len(said) > 1 {
		t.Errorf("%q", said)
	}
	if l := (&Source{Settings: layout.Settings{Name: "csv"}, Found: found}).WatchLater(&stream.Options{}); l != nil {
		t.Error("columns are watched")
	}
}
