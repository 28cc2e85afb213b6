package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
)

// someVectors have one that is like the first one, and one of zeroes.
var someVectors = [][]float64{{1, 0, .5}, {0, 1, 0}, {2, 0, 1}, {0, 0, 0}, {-1, .25, 4}}

// writeVectors writes an Arrow file of a column of lists.
func writeVectors(t *testing.T, path string, list arrow.ListLikeType) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.BinaryTypes.String}, {Name: "v", Type: list, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	lists := b.Field(1).(array.ListLikeBuilder)
	for i, vector := range someVectors {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprint(i))
		lists.Append(true)
		for _, v := range vector {
			switch to := lists.ValueBuilder().(type) {
			case *array.Float16Builder:
				to.Append(float16.New(float32(v)))
			case *array.Float32Builder:
				to.Append(float32(v))
			case *array.Float64Builder:
				to.Append(v)
			}
		}
	}
	b.Field(0).(*array.StringBuilder).Append("none")
	lists.AppendNull()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := ipc.NewFileWriter(file, ipc.WithSchema(schema))
	if err == nil {
		err = w.Write(b.NewRecordBatch())
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// runFilter runs the program, and returns what it says.
func runFilter(t *testing.T, args ...string) string {
	t.Helper()
	cmd, err := config.Parse(args, "test", io.Discard)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	c := cmd.(*config.Filter)
	std := files.Streams{In: os.Stdin, Out: files.StdoutOf(os.Stdout), Err: said}
	std = readingRecords(context.Background(), std, c)
	if err := run.Filter(context.Background(), c, taskFor(c), std); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	text, err := os.ReadFile(said.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestVectorsInColumns: lists of all kinds of floats, fixed or not, in Arrow and in Parquet.
func TestVectorsInColumns(t *testing.T) {
	for _, of := range []arrow.DataType{
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	} {
		for _, list := range []arrow.ListLikeType{
			arrow.ListOf(of), arrow.LargeListOf(of), arrow.FixedSizeListOf(3, of),
			arrow.FixedSizeListOfNonNullable(3, of),
		} {
			dir := t.TempDir()
			in, parquet := filepath.Join(dir, "in.arrow"), filepath.Join(dir, "in.parquet")
			writeVectors(t, in, list)
			runFilter(t, "-q", "--equal", "--field", "id", in, "-o", parquet)
			for _, path := range []string{in, parquet} {
				checkVectors(t, dir, path, list)
			}
		}
	}
}

// checkVectors runs the filter over a file of someVectors.
func checkVectors(t *testing.T, dir, path string, list arrow.DataType) {
	originals := filepath.Join(dir, "o.tsv")
	said := runFilter(t, "--sketch", "embedding", "--vector", "v", "--id", "id", "--originals", originals,
		path, "-o", filepath.Join(dir, "kept"+filepath.Ext(path)))
	for _, want := range []string{
		"6 records in ", "5 kept, 1 duplicate",
		"2 could not be read, the first: " + path + ": row 4: all values of the vector are zero",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%s of %s: %s", filepath.Base(path), list, said)
		}
	}
	if o, err := os.ReadFile(originals); err != nil || !bytes.Equal(o, []byte("2\t0\t1\n")) {
		t.Errorf("%s of %s: %q, %v", filepath.Base(path), list, o, err)
	}
}
