package formats

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/stream"
)

// exactly is a method that removes a text that was seen before.
func exactly() stream.Method {
	seen := map[uint64]bool{}
	return stream.Method{
		NewSketcher: func() stream.Sketcher { return lengths{} },
		Judge: stream.Judge{Decide: func(b stream.Batch, out []stream.Verdict) (int, error) {
			for i := range out {
				length := b.Sketch(i)[0]
				out[i] = stream.Verdict{Duplicate: seen[length]}
				seen[length] = true
			}
			return len(out), nil
		}},
	}
}

// lengths sketches texts by how long they are.
type lengths struct{}

func (lengths) Append(dst []uint64, text []byte) ([]uint64, bool) {
	return append(dst, uint64(len(text))), true
}

// wanted is what a run from files wants that writes to an output of a name.
func wanted(output string, paths ...string) Request {
	return Request{Paths: paths, Destinations: Destinations{Output: output}, MaxRecord: 1 << 20}
}

// written is what a run writes to the output and to the file of removed records.
func written(t *testing.T, w Request) (kept, removed string) {
	t.Helper()
	ctx := context.Background()
	s, err := Choose(ctx, w, streams())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var outputs [2]bytes.Buffer
	opts := stream.Options{
		Source: stream.Source{Inputs: s.Inputs, Format: s.Format},
		Method: exactly(),
		Outputs: stream.Outputs{
			Output: &outputs[0], Duplicates: &outputs[1], Form: stream.Form{Convert: s.Convert, Array: s.Array},
		},
	}
	var tables Tables
	if _, err := tables.Attach(&s, &opts, w.Output, 1); err != nil {
		t.Fatal(err)
	}
	run, err := stream.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if err := tables.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	if err := tables.Close(); err != nil {
		t.Fatal(err)
	}
	return outputs[0].String(), outputs[1].String()
}

func streams() files.Streams {
	return files.Standard().Reading(context.Background(), 0, object.Options{})
}

func fileOf(t *testing.T, name, contents string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(contents), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	toys    = "TOY|id|text\n1|one\n2|three\n3|two\n4|four\n"
	toyJSON = `{"id":"1","text":"one"}` + "\n" + `{"id":"2","text":"three"}` + "\n" + `{"id":"4","text":"four"}` + "\n"
)

// TestAFormatIsARowOfTheTable: a format of rows that is only in the table is found by names and by
// contents, read, written as it came and as JSON, and made of other records.
func TestAFormatIsARowOfTheTable(t *testing.T) {
	defer withToys()()
	isTarget := slices.Contains(layout.Targets(), "toy")
	if !slices.Contains(layout.Names(), "toy") || !isTarget || layout.Ending("toy") != ".toy" {
		t.Errorf("formats %q, targets %q", layout.Names(), layout.Targets())
	}
	const keptToys, removedToys = "TOY|id|text\n1|one\n2|three\n4|four\n", "TOY|id|text\n3|two\n"
	for _, name := range []string{"in.toy", "nameless"} {
		if kept, removed := written(t, wanted("-", fileOf(t, name, toys))); kept != keptToys || removed != removedToys {
			t.Errorf("%s: %q and %q", name, kept, removed)
		}
	}
	in := fileOf(t, "in.toy", toys)
	if kept, _ := written(t, wanted("out.jsonl", in)); kept != toyJSON {
		t.Errorf("as JSON %q", kept)
	}
	if kept, _ := written(t, wanted("out.toy", fileOf(t, "in.jsonl", toyJSON))); kept != keptToys {
		t.Errorf("of JSON %q", kept)
	}
	if kept, _ := written(t, wanted("out.csv", in)); kept != "id,text\n1,one\n2,three\n4,four\n" {
		t.Errorf("as CSV %q", kept)
	}
}

// TestFormatsOfRowsBecomeEachOther: those that do not keep each other's types go by way of JSON.
func TestFormatsOfRowsBecomeEachOther(t *testing.T) {
	defer withToys()()
	in := fileOf(t, "in.toy", toys)
	for _, to := range []string{"parquet", "arrow"} {
		made, _ := written(t, wanted("out."+to, in))
		w := wanted("out.toy", fileOf(t, "made."+to, made))
		if kept, _ := written(t, w); kept != "TOY|id|text\n1|one\n2|three\n4|four\n" {
			t.Errorf("by %s: %q", to, kept)
		}
	}
}

// TestATableRefuses: what a row of the table says is refused, for a new format too.
func TestATableRefuses(t *testing.T) {
	defer withToys()()
	in := fileOf(t, "in.toy", toys)
	for want, change := range map[string]func(w *Request){
		"--annotate would change the schema of a toy file":          func(w *Request) { w.Annotate = true },
		"cannot continue a toy file":                                func(w *Request) { w.Resumable = true },
		"--compress would hide a toy file":                          func(w *Request) { w.Compress.Format = "gzip" },
		"--no-header is about csv and tsv, not toy":                 func(w *Request) { w.NoHeader = true },
		"--quoted is about tsv, not toy":                            func(w *Request) { w.Quoted = true },
		"out.csv.gz would be csv by its name, but it would hold to": func(w *Request) { w.Duplicates = "out.csv.gz" },
		"--row-group-rows and --row-group-size are about parquet, and toy is written": func(w *Request) {
			w.Form.GroupRows = 1
		},
	} {
		w := wanted("-", in)
		change(&w)
		if _, err := Choose(context.Background(), w, streams()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestChoosingChangesNothing: what is found out is in the source, and not in what was asked for.
func TestChoosingChangesNothing(t *testing.T) {
	w := wanted("out.csv", fileOf(t, "in.jsonl", toyJSON))
	w.Fields = []string{"auto"}
	s, err := Choose(context.Background(), w, streams())
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "jsonl" || s.To != "csv" || !slices.Equal(s.Fields, []string{"text"}) ||
		!slices.Equal(s.Found.Paths, []string{"text"}) {
		t.Errorf("%+v", s.Settings)
	}
	if w.Name != "" || w.To != "" || !slices.Equal(w.Fields, []string{"auto"}) {
		t.Errorf("it was changed to %+v", w)
	}
}

// TestEveryFormatIsWhole: each row says what a format needs.
func TestEveryFormatIsWhole(t *testing.T) {
	taken := map[string]string{}
	for name := range all {
		if !slices.Contains(layout.Names(), name) {
			t.Errorf("%s is read and written, and has no row in package layout", name)
		}
	}
	for _, name := range layout.Names() {
		f := of(name)
		if (f.rows != nil) != f.Has(layout.Rows) || (f.table != nil) != f.Has(layout.Table) {
			t.Errorf("%s: what the two tables say of rows and tables differs", name)
		}
		if f.Name == "" || f.Article == "" || f.cut == nil || f.read == nil {
			t.Errorf("%q lacks something", f.Name)
		}
		for _, ending := range f.Endings {
			if taken[ending] != "" {
				t.Errorf("%s is %s and %s", ending, taken[ending], f.Name)
			}
			if taken[ending] = f.Name; layout.ByPath("a"+strings.ToUpper(ending)+".gz") != f.Name {
				t.Errorf("%s is not found by its name", ending)
			}
		}
		for _, to := range f.Keeps {
			if !layout.IsColumnar(f.Name) || !layout.IsColumnar(to) {
				t.Errorf("rows of %s do not become rows of %s", f.Name, to)
			}
		}
		for _, b := range f.Begins {
			if what, name := layout.Detect([]byte(b[0] + "…")); what != b[1] || name != f.Name {
				t.Errorf("%q is %s", b[0], what)
			}
		}
	}
}
