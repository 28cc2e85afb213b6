package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// testFiles are the names of all files of testdata.
func testFiles(t testing.TB) (names []string) {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".py" {
			names = append(names, e.Name())
		}
	}
	return names
}

// open reads the schema of a file, as command does.
func open(data []byte) (*Reader, error) {
	if needsFooter(data[:min(len(data), HeadBytes)]) {
		return newFileReader(bytes.NewReader(data), int64(len(data)), newLimits(0))
	}
	return newReader(bytes.NewReader(data), newLimits(0))
}

// linesOf reads all rows of a file as JSON, as far as that goes.
func linesOf(data []byte) (lines []string, err error) {
	in, err := open(data)
	if err != nil {
		return nil, err
	}
	return rowsOf(in)
}

func rowsOf(in *Reader) (lines []string, err error) {
	w := &jsonWriter{schema: in.Schema(), maxBytes: 1 << 24}
	for {
		b, err := in.Read()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return lines, err
		}
		for i := range min(b.Rows(), 1<<16) { // damage can make them many
			lines = append(lines, string(w.append(nil, b, i)))
		}
	}
}

func mustLines(t testing.TB, data []byte) []string {
	t.Helper()
	lines, err := linesOf(data)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// copyRows writes the rows of a file that keep says.
func copyRows(data []byte, keep func(row int) bool) ([]byte, error) {
	in, err := open(data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	var w *Writer
	for row := 0; ; {
		b, err := in.Read()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if w == nil { // a compression is known when a batch was read
			var err error
			if w, err = NewWriter(&out, in, in.Form()); err != nil {
				return nil, err
			}
		}
		if b == nil {
			err := w.Close()
			return out.Bytes(), err
		}
		for i := range min(b.Rows(), 1<<16) {
			if keep(row) {
				if err := w.Write(b, i, i+1); err != nil {
					return nil, err
				}
			}
			row++
		}
	}
}

// TestAllFormsHoldTheSame compares streams and files, compressed or not.
func TestAllFormsHoldTheSame(t *testing.T) {
	want := mustLines(t, read(t, "types.arrow"))
	if len(want) != 24 {
		t.Fatalf("%d rows", len(want))
	}
	for _, name := range []string{"types-zstd.arrow", "types-lz4.feather", "types.ipc"} {
		if got := mustLines(t, read(t, name)); strings.Join(got, "") != strings.Join(want, "") {
			t.Errorf("%s holds something else", name)
		}
	}
}

// TestSeveralDictionariesOfViews has each dictionary of its own say how many
// buffers its values have.
func TestSeveralDictionariesOfViews(t *testing.T) {
	lines := mustLines(t, read(t, "polars.arrow"))
	if len(lines) != 9 || !strings.Contains(lines[5], `"dictionary":"hill","enum":"meadow"`) {
		t.Errorf("%d rows: %s", len(lines), lines)
	}
}

// TestTypesAsJSON has a value of each type, as pyarrow wrote it.
func TestTypesAsJSON(t *testing.T) {
	lines := mustLines(t, read(t, "types.arrow"))
	for _, want := range []string{
		`"binary":"AgD/"`, `"fixed_binary":"AgIC"`, `"bool":false`, `"null":null`, `"float16":1,`, `"float32":0.2,`,
		`"float64":0.2,`, `"date32":"2020-02-29"`, `"date64":"2020-02-29"`, `"time32":"01:02:02"`,
		`"time64":"01:02:02.000002"`, `"timestamp":"1970-08-20T11:33:20.000002"`, `"instant":"1969-12-08T20:26:39.999Z"`,
		`"duration":2`, `"interval":{"months":2,"days":2,"nanoseconds":-3}`, `"decimal32":-0.08`, `"decimal64":-0.08`,
		`"decimal128":-0.08`, `"decimal256":-0.08`, `"list":[0,1]`, `"large_list":["2","2"]`, `"list_view":["2","2"]`,
		`"large_list_view":[2,2]`, `"fixed_list":[2,3]`, `"map":{"0":0,"1":1}`, `"dictionary":"hill"`,
		`"dictionaries":["hill","river"]`, `"runs":"one"`, `"sparse":2`, `"dense":1`, `"int8":10`, `"uint64":10`,
		`"struct":{"a":2,"b":{"c":"`, `"messages":[{"role":"user","content":"`,
	} {
		if !strings.Contains(lines[2], want) {
			t.Errorf("no %s in %s", want, lines[2])
		}
	}
	for _, want := range []string{`"binary":null`, `"list":null`, `"struct":null`, `"dictionary":null`, `"decimal256":null`} {
		if !strings.Contains(lines[3], want) {
			t.Errorf("no %s in %s", want, lines[3])
		}
	}
}

// TestCopies leaves rows out, in several ways, and compares what is left.
func TestCopies(t *testing.T) {
	for i, name := range testFiles(t) {
		data := read(t, name)
		lines := mustLines(t, data)
		random := rand.New(rand.NewPCG(11, uint64(i)))
		for _, kept := range []int{0, 1, 2, 3} { // of three rows
			var want []string
			file, err := copyRows(data, func(row int) bool {
				keep := random.IntN(3) < kept
				if keep {
					want = append(want, lines[row])
				}
				return keep
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := mustLines(t, file); strings.Join(got, "") != strings.Join(want, "") {
				t.Errorf("%s: %d of 3 rows: the copy has\n%s\ninstead of\n%s", name, kept, got, want)
			}
			compareHeads(t, name, data, file)
		}
	}
}

// compareHeads compares schema, form and compression.
func compareHeads(t *testing.T, name string, data, file []byte) {
	t.Helper()
	before, err := open(data)
	if err != nil {
		t.Fatal(err)
	}
	after, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(before.Schema()), fmt.Sprint(after.Schema()); a != b {
		t.Errorf("%s: the schema is\n%s\ninstead of\n%s", name, b, a)
	}
	_, _ = before.Read()
	if _, err := after.Read(); err == nil && before.in.first.compressed != after.in.first.compressed {
		t.Errorf("%s: compressed: %v instead of %v", name, after.in.first.compressed, before.in.first.compressed)
	}
	if before.Form() != after.Form() {
		t.Errorf("%s became a %s", name, after.Form())
	}
}

// TestBatchesAreCut writes more rows than a batch has.
func TestBatchesAreCut(t *testing.T) {
	var out bytes.Buffer
	columns := []columns.Column{
		{Name: "n", Kind: columns.Integer}, {Name: "b", Kind: columns.Bool},
		{Name: "x", Kind: columns.Number}, {Name: "s", Kind: columns.String},
	}
	b, err := NewBuilder(&out, columns, File)
	if err != nil {
		t.Fatal(err)
	}
	const rows = 2*batchRows + 5
	for i := range rows {
		b.Int64(int64(i))
		b.Bool(i%3 == 0)
		if i%7 == 0 {
			b.Null()
			b.Null()
		} else {
			b.Double(float64(i) / 2)
			b.Bytes(fmt.Append(nil, "row ", i))
		}
		if err := b.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	lines := mustLines(t, out.Bytes())
	if len(lines) != rows || lines[0] != `{"n":0,"b":true,"x":null,"s":null}`+"\n" || lines[7] != `{"n":7,"b":false,"x":null,"s":null}`+"\n" ||
		lines[20003] != `{"n":20003,"b":false,"x":10001.5,"s":"row 20003"}`+"\n" {
		t.Errorf("%d rows, %s, %s", len(lines), lines[7], lines[20003])
	}
	in, err := newReader(&out, newLimits(0))
	if err != nil {
		t.Fatal(err)
	}
	if first, err := in.Read(); err != nil || first.Rows() != batchRows {
		t.Errorf("the first batch has %d rows, %v", first.Rows(), err)
	}
}
