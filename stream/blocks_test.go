package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// chunks is a reader whose reads return the given sizes in turn.
type chunks struct {
	data  []byte
	sizes []int
	turn  int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := min(c.sizes[c.turn%len(c.sizes)], len(p), len(c.data))
	c.turn++
	copy(p, c.data[:n])
	c.data = c.data[n:]
	return n, nil
}

// newLineReader reads one input of lines.
func newLineReader(src io.Reader, maxRecord int) *blockReader {
	r := newBlockReader(maxRecord, nil)
	r.open(src, Text("\n").NewSplitter())
	return r
}

// readAll returns the records that a blockReader of lines finds, each with whether it was overlong.
func readAll(t interface{ Fatalf(string, ...any) }, src io.Reader,
	maxRecord int) (records []string, overlong []bool, err error) {
	lines := newLineReader(src, maxRecord)
	b := newBatch()
	for more := true; more; b.reset() {
		more = lines.fill(b)
		switch b.piece {
		case WholeRecords:
			if len(b.buf) > 0 && b.buf[len(b.buf)-1] != '\n' {
				t.Fatalf("a batch ends inside a line: %q", b.buf)
			}
			for _, line := range bytes.SplitAfter(b.buf, []byte("\n")) {
				if len(line) > 0 {
					records = append(records, string(line))
					overlong = append(overlong, len(line)-1 > maxRecord)
				}
			}
		case FirstPiece:
			records = append(records, string(b.buf))
			overlong = append(overlong, true)
		default:
			records[len(records)-1] += string(b.buf)
		}
		if b.err != nil {
			return records, overlong, b.err
		}
	}
	return records, overlong, nil
}

// TestLinesDoNotDependOnReads is I1 and I2 for the reader: whatever the reads return, the same
// records come out.
func TestLinesDoNotDependOnReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"\n", "a", "bc", "{}", "\r\n", "\x00",
			"long long line", "x\ny\n"})).Draw(t, "parts")
		input := strings.Join(parts, "")
		maxRecord := rapid.IntRange(1, 20).Draw(t, "maxRecord")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 30), 1, 5).Draw(t, "sizes")

		want := strings.SplitAfter(input, "\n")
		if last := len(want) - 1; want[last] == "" {
			want = want[:last]
		} else {
			want[last] += "\n"
		}
		records, overlong, err := readAll(t, &chunks{data: []byte(input), sizes: sizes}, maxRecord)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if strings.Join(records, "|") != strings.Join(want, "|") {
			t.Fatalf("records %q, want %q", records, want)
		}
		for i, r := range records {
			if overlong[i] != (len(r)-1 > maxRecord) {
				t.Fatalf("record %q: overlong %v at max-record %d", r, overlong[i], maxRecord)
			}
		}
	})
}

func TestABatchIsWhatOneReadReturned(t *testing.T) {
	lines := newLineReader(&chunks{data: []byte("one\ntwo\nthree\n"), sizes: []int{8, 6}}, 100)
	b := newBatch()
	if !lines.fill(b) || string(b.buf) != "one\ntwo\n" {
		t.Errorf("first batch %q: a slow pipe must not be held back", b.buf)
	}
}

func TestReadErrorsComeBehindTheLinesBeforeThem(t *testing.T) {
	broken := errors.New("broken")
	for _, src := range []io.Reader{
		io.MultiReader(strings.NewReader("one\ntwo\nhal"), iotest.ErrReader(broken)),
		iotest.DataErrReader(io.MultiReader(strings.NewReader("one\ntwo\nhal"), iotest.ErrReader(broken))),
		iotest.OneByteReader(io.MultiReader(strings.NewReader("one\ntwo\nhal"), iotest.ErrReader(broken))),
	} {
		records, _, err := readAll(t, src, 100)
		if !errors.Is(err, broken) || strings.Join(records, "") != "one\ntwo\n" {
			t.Errorf("%q, %v", records, err)
		}
	}
}

func TestAnOverlongRecordThatBreaksOffEndsItsLine(t *testing.T) {
	broken := errors.New("broken")
	src := iotest.OneByteReader(io.MultiReader(strings.NewReader("one\ntwenty letters and m"),
		iotest.ErrReader(broken)))
	records, _, err := readAll(t, src, 10)
	if !errors.Is(err, broken) || strings.Join(records, "") != "one\ntwenty letters and m\n" {
		t.Errorf("%q, %v", records, err)
	}
}

func TestAReaderWithoutProgressIsAnError(t *testing.T) {
	_, _, err := readAll(t, &chunks{data: []byte("x"), sizes: []int{0}}, 10)
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%v", err)
	}
}

// TestLongLinesKeepMemoryBounded reads a line far longer than max-record and looks at the largest
// batch.
func TestLongLinesKeepMemoryBounded(t *testing.T) {
	const length, maxRecord = 64 << 20, 1 << 20
	src := io.MultiReader(io.LimitReader(zeros{}, length), strings.NewReader("\nafter\n"))
	lines := newLineReader(src, maxRecord)
	largest, total := 0, 0
	b := newBatch()
	for more := true; more; b.reset() {
		more = lines.fill(b)
		largest, total = max(largest, cap(b.buf)), total+len(b.buf)
	}
	if total != length+len("\nafter\n") {
		t.Errorf("%d bytes came through", total)
	}
	if limit := maxRecord + 3*blockSize; largest > limit {
		t.Errorf("a batch grew to %d bytes, more than %d", largest, limit)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// largestBatch is a judge that notes how many records it was asked about at once.
type largestBatch struct{ most int }

func (l *largestBatch) decide(b Batch, out []Verdict) (int, error) {
	l.most = max(l.most, b.Len())
	return b.Len(), nil
}

// TestABatchHasNoMoreThanMostRecords bounds the memory that short records take, in each format. The
// long row of CSV has more lines than a batch may have rows.
func TestABatchHasNoMoreThanMostRecords(t *testing.T) {
	const count = 3*record.MaxRecords + 5
	for _, c := range []struct {
		name   string
		format Format
		input  string
	}{
		{"lines", JSONLines(fieldsOf(t, "text")), strings.Repeat("{}\n", count)},
		{"array", JSONArray(fieldsOf(t, "text")), "[\n{}" + strings.Repeat(",\n{}", count-1) + "\n]\n"},
		{"separator", Text("\n\n"), strings.Repeat("a\n\n", count)},
		{"rows", CSV(',', true, []string{"t"}), "t\n" + strings.Repeat("a\n", count)},
		{"a row of lines", CSV(',', true, []string{"t"}),
			"t\n\"" + strings.Repeat("\n", 2*record.MaxRecords) + "\"\n" + strings.Repeat("a\n", count-1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			var judge largestBatch
			opts := testOptions(t, strings.NewReader(c.input), &out)
			opts.Format, opts.Method.Judge, opts.MaxRecord = c.format, Judge{Decide: judge.decide}, 1<<20
			stats, err := do(opts)
			if err != nil || stats.Records != count || out.String() != c.input {
				t.Errorf("%v: %d records, %d bytes", err, stats.Records, out.Len())
			}
			if judge.most != record.MaxRecords {
				t.Errorf("the largest batch had %d records", judge.most)
			}
		})
	}
}
