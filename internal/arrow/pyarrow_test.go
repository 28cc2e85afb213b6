//go:build integration

package arrow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// TestIntegrationPyArrowReadsWhatWeWrite gives inputs with some of their rows left out to an
// independent reader: form, schema, metadata and values must be the same.
func TestIntegrationPyArrowReadsWhatWeWrite(t *testing.T) {
	python := pyarrow(t)
	dir := t.TempDir()
	kept := map[string][]int{}
	for i, name := range testFiles(t) {
		random := rand.New(rand.NewPCG(7, uint64(i)))
		rows := []int{}
		data, err := copyRows(read(t, name), func(row int) bool {
			keep := random.IntN(3) > 0
			if keep {
				rows = append(rows, row)
			}
			return keep
		})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		kept[name] = rows
	}
	list, err := json.Marshal(kept)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "kept.json"), list, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "testdata/compare.py", filepath.Join(dir, "kept.json"), dir).CombinedOutput()
	if want := fmt.Sprintf("compared %d files\n", len(kept)); err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestIntegrationPyArrowReadsWhatWeBuild has pyarrow say the types and values of a table that is
// made anew, in both forms.
func TestIntegrationPyArrowReadsWhatWeBuild(t *testing.T) {
	python := pyarrow(t)
	for form, open := range map[Form]string{Stream: "open_stream", File: "open_file"} {
		var out bytes.Buffer
		columns := []columns.Column{
			{Name: "b", Kind: columns.Bool}, {Name: "n", Kind: columns.Integer},
			{Name: "x", Kind: columns.Number}, {Name: "s", Kind: columns.String},
		}
		b, err := NewBuilder(&out, columns, form)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3000 {
			b.Bool(i%3 == 0)
			b.Int64(int64(i) << 40)
			b.Null()
			b.Bytes(fmt.Append(nil, i))
			if err := b.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		const program = `
import sys, pyarrow as pa
t = getattr(pa.ipc, sys.argv[1])(sys.stdin.buffer.read()).read_all()
t.validate(full=True)
print(t.schema.types, t.to_pylist() == [
    {"b": i % 3 == 0, "n": i << 40, "x": None, "s": str(i)} for i in range(3000)])
`
		run := exec.Command(python, "-c", program, open)
		run.Stdin = &out
		said, err := run.CombinedOutput()
		want := "[DataType(bool), DataType(int64), DataType(double), DataType(string)] True\n"
		if err != nil || string(said) != want {
			t.Errorf("%s: %v\n%s", form, err, said)
		}
	}
}

// TestIntegrationPyArrowReadsWhatWasParquet has pyarrow read Parquet files, and the Arrow that is
// made of them. Their values are the same, and so are their types but for those that Parquet's
// columns do not have.
func TestIntegrationPyArrowReadsWhatWasParquet(t *testing.T) {
	python := pyarrow(t)
	dir := t.TempDir()
	made := filepath.Join(dir, "made.parquet")
	if out, err := exec.Command(python, "testdata/makeparquet.py", made).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(parquetFiles + "*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, made) {
		path := filepath.Join(dir, "converted.arrow")
		if err := os.WriteFile(path, fromParquet(t, name, File), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, "testdata/compareparquet.py", name, path).CombinedOutput()
		if err != nil || string(out) != "the same\n" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestIntegrationPyArrowReadsParquetOfOurs has pyarrow say the types of the Parquet that is made of
// all types, which are those of the Arrow file, and compare what is nested in it.
func TestIntegrationPyArrowReadsParquetOfOurs(t *testing.T) {
	const program = `
import sys, pyarrow as pa, pyarrow.parquet as pq
t = pq.read_table(sys.argv[1])
t.validate(full=True)
of = pa.ipc.open_stream(sys.argv[2]).read_all()
for f in t.schema:
    if pa.types.is_nested(f.type) and "union" not in f.name:
        assert t[f.name].to_pylist() == of[f.name].to_pylist(), f.name
print("; ".join(str(f.type) for f in t.schema))
`
	made := toParquet(t, read(t, "types.arrow"))
	out, err := exec.Command(pyarrow(t), "-c", program, made, "testdata/types.arrow").CombinedOutput()
	const want = "string; large_string; string_view; binary; large_binary; binary_view; fixed_size_binary[3]; " +
		"bool; string; halffloat; float; double; date32[day]; date32[day]; time32[ms]; time64[us]; " +
		"timestamp[ns]; timestamp[ms, tz=Europe/Berlin]; duration[us]; string; decimal32(7, 2); " +
		"decimal64(15, 2); decimal128(30, 2); decimal256(70, 2); list<element: int32>; " +
		"large_list<element: string>; list_view<element: string>; large_list_view<element: int64>; " +
		"fixed_size_list<element: int16>[2]; struct<a: int8, b: struct<c: string>>; " +
		"map<string, int32 ('map')>; list<element: struct<role: string, content: string>>; " +
		"dictionary<values=string, indices=int32, ordered=0>; " +
		"list<element: dictionary<values=string, indices=int8, ordered=0>>; string; string; string; " +
		"extension<arrow.uuid>; int8; int16; int32; int64; uint8; uint16; uint32; uint64\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestIntegrationPyArrowReadsParquetThereAndBack has pyarrow compare a file of what lies deep with
// what happens to it by way of Arrow.
func TestIntegrationPyArrowReadsParquetThereAndBack(t *testing.T) {
	python, made := pyarrow(t), filepath.Join(t.TempDir(), "made.parquet")
	if out, err := exec.Command(python, "testdata/makeparquet.py", made).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const program = `
import sys, pyarrow.parquet as pq
a, b = (pq.read_table(path).drop_columns("duration") for path in sys.argv[1:])  # Parquet has no such type
b.validate(full=True)
print(a.column_names == b.column_names and a.to_pylist() == b.to_pylist(), len(a))
`
	out, err := exec.Command(python, "-c", program, made, toParquet(t, fromParquet(t, made, Stream))).CombinedOutput()
	if err != nil || string(out) != "True 30\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// pyarrow is a Python that has pyarrow: python3 or what PYARROW_PYTHON says. Where there is none
// the test is skipped, except in CI.
func pyarrow(t *testing.T) string {
	t.Helper()
	python := os.Getenv("PYARROW_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import pyarrow").CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s has no pyarrow: %s", python, out)
		}
		t.Skipf("%s has no pyarrow: install it, or name another Python with PYARROW_PYTHON", python)
	}
	return python
}
