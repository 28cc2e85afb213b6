package parquet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// testFiles are the files that testdata/files.py has written.
func testFiles(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test files", err)
	}
	return paths
}

func open(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// expected are the rows of a file, as pyarrow's values say.
func expected(t testing.TB, path string) []string {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".parquet"), "-")
	var lines []string
	for line := range strings.Lines(string(read(t, filepath.Join("testdata", name+".jsonl")))) {
		lines = append(lines, line)
	}
	return lines
}

// jsonOf are the rows of a file that can be read.
func jsonOf(f *File) (lines []string, err error) {
	w := &jsonWriter{schema: f.Schema()}
	var rows Rows
	for err == nil {
		err = f.Read(&rows)
		for i := range rows.Len() {
			lines = append(lines, string(w.append(nil, &rows, i)))
		}
	}
	return lines, err
}

// sameJSON compares numbers by their value.
func sameJSON(t testing.TB, got, want string) bool {
	t.Helper()
	var a, b any
	if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		t.Fatalf("not JSON: %s or %s", got, want)
	}
	return reflect.DeepEqual(a, b)
}

func checkRows(t testing.TB, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		if !sameJSON(t, got[i], want[i]) {
			t.Fatalf("row %d\n%swant\n%s", i+1, got[i], want[i])
		}
	}
}

func TestRowsAreThoseThatWereWritten(t *testing.T) {
	for _, path := range testFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := open(t, read(t, path))
			got, err := jsonOf(f)
			if err != io.EOF {
				t.Fatal(err)
			}
			want := expected(t, path)
			if f.Rows() != uint64(len(want)) {
				t.Errorf("the footer says %d rows", f.Rows())
			}
			checkRows(t, got, want)
		})
	}
}

// TestWholeNumbersKeepTheirDigits is about those that a comparison of floating-point numbers would
// not tell apart.
func TestWholeNumbersKeepTheirDigits(t *testing.T) {
	lines, _ := jsonOf(open(t, read(t, "testdata/types.parquet")))
	all := strings.Join(lines, "")
	for _, digits := range []string{
		`"int64":9223372036854775807,`, `"int64":-9223372036854775808,`, `"uint64":18446744073709551615,`, `"decimal18":-999999999999999999,`,
		`"decimal38":-12.0000000001,`, `"decimal38":5.0000000000,`, `"decimal76":123456789012345678901234567890.5,`, `"decimal9":-0.01,`,
	} {
		if !strings.Contains(all, digits) {
			t.Errorf("%s is nowhere", digits)
		}
	}
}

// copyRows writes the rows that keep wants to a new file like f. Rows are handed over in runs.
func copyRows(t testing.TB, f *File, keep func(row int) bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, f, Form{Program: "test"})
	var rows Rows
	var err error
	for row := 0; err == nil; {
		err = f.Read(&rows)
		from := 0
		for i := range rows.Len() {
			if !keep(row) {
				if err := w.Write(&rows, from, i); err != nil {
					t.Fatal(err)
				}
				from = i + 1
			}
			row++
		}
		if err := w.Write(&rows, from, rows.Len()); err != nil {
			t.Fatal(err)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestKeptRowsStayAsTheyAre: rows, schema and metadata of a file that has some of the rows of
// another.
func TestKeptRowsStayAsTheyAre(t *testing.T) {
	for _, path := range testFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			for _, share := range []int{0, 1, 50, 100} {
				random := rand.New(rand.NewPCG(1, uint64(share)))
				var kept []string
				rows := expected(t, path)
				from := open(t, read(t, path))
				data := copyRows(t, from, func(row int) bool {
					if random.IntN(100) >= share {
						return false
					}
					kept = append(kept, rows[row])
					return true
				})
				to := open(t, data)
				got, err := jsonOf(to)
				if err != io.EOF {
					t.Fatal(err)
				}
				checkRows(t, got, kept)
				a, b := from.footer, to.footer
				if !bytes.Equal(a.schema.raw, b.schema.raw) || !bytes.Equal(a.keyValues, b.keyValues) ||
					a.version != b.version {
					t.Errorf("share %d: the schema or the metadata has changed", share)
				}
				checkLikeness(t, a, b)
			}
		})
	}
}

// checkLikeness compares what columns are compressed with, and the size of row groups.
func checkLikeness(t *testing.T, a, b *footer) {
	t.Helper()
	if b.largest > a.largest {
		t.Errorf("a row group of %d rows, but the input had %d", b.largest, a.largest)
	}
	if len(b.groups) == 0 {
		return
	}
	g, _ := a.group(0)
	h, _ := b.group(0)
	for i := range g.chunks {
		if g.chunks[i].codec != h.chunks[i].codec {
			t.Errorf("column %d: %v became %v", i, g.chunks[i].codec, h.chunks[i].codec)
		}
		if h.chunks[i].dictionary && !g.chunks[i].dictionary {
			t.Errorf("column %d has got a dictionary", i)
		}
	}
}

// TestSmallDictionariesStay: what was stored as an index is not stored as text.
func TestSmallDictionariesStay(t *testing.T) {
	data := copyRows(t, open(t, read(t, "testdata/words-zstd.parquet")), func(int) bool { return true })
	f := open(t, data)
	g, err := f.footer.group(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range f.footer.schema.columns {
		if c.path()[0] == "label" && !g.chunks[i].dictionary {
			t.Error("labels have lost their dictionary")
		}
	}
}

func TestSkippedRowsAreNotRead(t *testing.T) {
	data := read(t, "testdata/words-snappy.parquet")
	rows := expected(t, "testdata/words-snappy.parquet")
	for _, n := range []int{0, 1, 59, 60, 61, 120, 149, 150} {
		f := open(t, data)
		if err := f.Skip(uint64(n)); err != nil {
			t.Fatal(err)
		}
		got, err := jsonOf(f)
		if err != io.EOF {
			t.Fatal(err)
		}
		checkRows(t, got, rows[n:])
	}
	if err := open(t, data).Skip(151); err == nil {
		t.Error("more rows were skipped than there are")
	}
}

// TestPagesOfOutput writes many more values than a page and a dictionary hold.
func TestPagesOfOutput(t *testing.T) {
	f := open(t, read(t, "testdata/words-zstd.parquet"))
	var rows Rows
	if err := f.Read(&rows); err != nil {
		t.Fatal(err)
	}
	f.footer.largest = 1 << 20 // so that pages and not row groups end
	var out bytes.Buffer
	w := NewWriter(&out, f, Form{Program: "test"})
	text := &rows.columns[0]
	const repeat = 400
	var want []string
	one := &jsonWriter{schema: f.Schema()}
	for n := range repeat {
		for i := range text.data {
			text.data[i] = byte('a' + (i*7+n)%26) // values that a dictionary would not end with
		}
		if err := w.Write(&rows, 0, rows.Len()); err != nil {
			t.Fatal(err)
		}
		for i := range rows.Len() {
			want = append(want, string(one.append(nil, &rows, i)))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := jsonOf(open(t, out.Bytes()))
	if err != io.EOF || len(got) != len(want) {
		t.Fatal(err, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d\n%swant\n%s", i, got[i], want[i])
		}
	}
}

// TestDifferencesAreNamed is about the schemas of two files.
func TestDifferencesAreNamed(t *testing.T) {
	words, types := open(t, read(t, "testdata/words-none.parquet")), open(t, read(t, "testdata/types.parquet"))
	if d := words.Difference(open(t, read(t, "testdata/words-delta-2.parquet"))); d != "" {
		t.Error(d)
	}
	if d := words.Difference(types); d != `it has no column "label"` {
		t.Error(d)
	}
	if d := types.Difference(words); !strings.Contains(d, `it has no column "bool"`) {
		t.Error(d)
	}
}

// BenchmarkCopy reads and writes all rows, for the cost of both beside that of sketching.
func BenchmarkCopy(b *testing.B) {
	data := read(b, "testdata/words-snappy.parquet")
	lines := bufio.NewReader(strings.NewReader(strings.Join(expected(b, "testdata/words-snappy.parquet"), "")))
	n, _ := io.Copy(io.Discard, lines)
	b.SetBytes(n)
	b.ReportAllocs()
	for b.Loop() {
		copyRows(b, open(b, data), func(int) bool { return true })
	}
}
