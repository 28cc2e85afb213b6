package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rows hands over lines of JSON, some at a time. What is written of each is not the line itself.
type rows struct {
	lines  []string
	size   int   // records at a time
	err    error // after them
	at     int
	closed bool
}

func (r *rows) ReadRecords(_ context.Context, to *Records) error {
	first := r.at
	for ; r.at < min(first+r.size, len(r.lines)); r.at++ {
		line := r.lines[r.at]
		rec := Record{Text: Span{Start: len(to.Buf), End: len(to.Buf) + len(line)}}
		to.Buf = append(to.Buf, line...)
		rec.Raw.Start = len(to.Buf)
		to.Buf = append(to.Buf, rawOf(line)...)
		rec.Raw.End = len(to.Buf)
		if line == "" {
			rec.Problem = FieldMissing(0)
		}
		to.List = append(to.List, rec)
		to.Bytes += uint64(len(line))
	}
	to.Tag = first
	to.Head = 7
	to.Place = func(i int) (string, uint64) { return "row", uint64(first + i) }
	if r.at < len(r.lines) {
		return nil
	}
	return r.err
}

func (r *rows) Skip(at Position) error {
	if at.Head != 7 {
		return errors.New("another input")
	}
	r.at = int(at.Records)
	return nil
}

func (r *rows) Close() error { r.closed = true; return nil }

func rawOf(line string) string { return fmt.Sprintf("<%d %s>\n", len(line), line) }

// fates notes what a sink is told.
type fates struct {
	records []int
	taken   []Fate
	flushed int // how many were taken at the last flush
}

func (f *fates) Observe(d *Decided) error {
	f.records, f.taken = append(f.records, d.Tag.(int)+d.Number), append(f.taken, d.Fate)
	return nil
}

func (f *fates) Flush() error { f.flushed = len(f.taken); return nil }

func rowOptions(t testing.TB, r *rows, out io.Writer) Options {
	opts := testOptions(t, nil, out)
	opts.Inputs = []Input{{Name: "rows", OpenRecords: func() (RecordReader, error) { return r, nil }}}
	return opts
}

// TestFramedRecordsAreJudgedLikeLines compares with the serial model: the same fates, told in
// order, and what is written is what the reader has given.
func TestFramedRecordsAreJudgedLikeLines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		input := records(rt)
		var lines []string
		for line := range strings.Lines(input) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
		var out bytes.Buffer
		told := &fates{}
		r := &rows{lines: lines, size: rapid.IntRange(1, 10).Draw(rt, "size"), err: io.EOF}
		opts := rowOptions(t, r, &out)
		opts.Threads, opts.Sinks = rapid.IntRange(1, 4).Draw(rt, "threads"), []Sink{told}
		stats, err := do(opts)
		if err != nil || !r.closed {
			rt.Fatal(err, r.closed)
		}
		var model serial
		model.run(t, input, opts, 1)
		var flags, written strings.Builder
		for i, fate := range told.taken {
			if told.records[i] != i {
				rt.Fatalf("the sink was told of record %d after %d others", told.records[i], i)
			}
			if fate.IsKept() {
				flags.WriteString("1\n")
				written.WriteString(rawOf(lines[i]))
			} else {
				flags.WriteString("0\n")
			}
		}
		if flags.String() != model.flags.String() || out.String() != written.String() {
			rt.Fatalf("flags %q, want %q; output %q, want %q", flags.String(), model.flags.String(), out.String(),
				written.String())
		}
		if told.flushed != len(lines) || stats.Records != uint64(len(lines)) ||
			stats.BytesIn != uint64(len(strings.Join(lines, ""))) {
			rt.Errorf("%d of %d flushed, %+v", told.flushed, len(lines), stats)
		}
	})
}

func TestAFramedRecordIsReportedAtItsPlace(t *testing.T) {
	opts := rowOptions(t, &rows{lines: []string{`{"text":"one"}`, "", `{"text":"two"}`}, size: 2, err: io.EOF}, io.Discard)
	stats, err := do(opts)
	if err != nil || stats.Rejects.Total() != 1 || stats.FirstReject.String() != `row:1: field "text" is missing` {
		t.Errorf("%v, %v", stats.FirstReject, err)
	}
}

func TestAnErrorOfARecordReaderComesBehindItsRecords(t *testing.T) {
	var out bytes.Buffer
	lines := strings.SplitAfter(family(0, 5), "\n")[:5]
	stats, err := do(rowOptions(t, &rows{lines: lines, size: 2, err: errors.New("bad page")}, &out))
	if err == nil || err.Error() != "read rows: after line 5: bad page" || strings.Count(out.String(), "<") != 5 ||
		stats.Complete {
		t.Errorf("%v, %q", err, out.String())
	}
}

// TestARecordReaderIsResumed goes on at each checkpoint.
func TestARecordReaderIsResumed(t *testing.T) {
	lines := strings.SplitAfter(family(0, 9), "\n")[:9]
	var taken []Stats
	opts := rowOptions(t, &rows{lines: lines, size: 2, err: io.EOF}, io.Discard)
	opts.Checkpoints = &Checkpoints{Records: 1, Commit: func(s Stats) error { taken = append(taken, s); return nil }}
	final, err := do(opts)
	if err != nil || len(taken) < 2 {
		t.Fatalf("%d checkpoints, %v", len(taken), err)
	}
	for _, from := range taken {
		var out bytes.Buffer
		opts := rowOptions(t, &rows{lines: lines, size: 3, err: io.EOF}, &out)
		opts.Method.Judge, opts.From = KeepAll(), from
		stats, err := do(opts)
		if err != nil || stats.Records != final.Records || stats.At != final.At ||
			strings.Count(out.String(), "<") != 9-int(from.Records) {
			t.Errorf("resumed after %d: %v, %+v, %q", from.Records, err, stats, out.String())
		}
	}
}

// marked makes a mark after each record, and expects that it has been handed over before it is
// asked for more.
type marked struct {
	rows
	behind int // records up to the mark that was made last
	met    chan int
}

func (m *marked) ReadRecords(ctx context.Context, to *Records) error {
	if m.at > m.behind {
		m.behind = m.at
		to.Tag = m.at
		return nil
	}
	if m.behind > 0 {
		if at := <-m.met; at != m.behind {
			return fmt.Errorf("the mark after %d was handed over, not that after %d", at, m.behind)
		}
	}
	return m.rows.ReadRecords(ctx, to)
}

func TestAMarkComesBehindItsRecords(t *testing.T) {
	lines := strings.SplitAfter(family(0, 9), "\n")[:9]
	m := &marked{rows: rows{lines: lines, size: 1, err: io.EOF}, met: make(chan int, 1)}
	told := &fates{}
	opts := rowOptions(t, &m.rows, io.Discard)
	opts.Inputs[0].OpenRecords = func() (RecordReader, error) { return m, nil }
	opts.Sinks = []Sink{told}
	opts.Mark = func(tag any) error {
		if len(told.taken) != tag.(int) {
			t.Errorf("the mark after %d records comes after %d", tag, len(told.taken))
		}
		m.met <- tag.(int)
		return nil
	}
	if stats, err := do(opts); err != nil || stats.Records != 9 || m.behind != 8 {
		t.Errorf("%d records, the last mark after %d, %v", stats.Records, m.behind, err)
	}
	failure := errors.New("the transaction was aborted")
	m = &marked{rows: rows{lines: lines, size: 1, err: io.EOF}}
	opts.Mark = func(any) error { return failure }
	if stats, err := do(opts); !errors.Is(err, failure) || stats.Records != 1 {
		t.Errorf("%d records, %v", stats.Records, err)
	}
}

// A taggedJudge notes the tags of the batches that it judges.
type taggedJudge struct{ tags []any }

func (j *taggedJudge) decide(b Batch, out []Verdict) (int, error) {
	j.tags = append(j.tags, b.Tag)
	return KeepAll().Decide(b, out)
}

// tagged hands over records with a tag that says how many came before.
type tagged struct{ rows }

func (r *tagged) ReadRecords(ctx context.Context, to *Records) error {
	to.Tag = r.at
	return r.rows.ReadRecords(ctx, to)
}

func TestAJudgeIsToldTheTagOfRecords(t *testing.T) {
	lines := strings.SplitAfter(family(0, 9), "\n")[:9]
	r, judge := &tagged{rows{lines: lines, size: 3, err: io.EOF}}, &taggedJudge{}
	opts := rowOptions(t, &r.rows, io.Discard)
	opts.Inputs[0].OpenRecords = func() (RecordReader, error) { return r, nil }
	opts.Method.Judge = Judge{Decide: judge.decide}
	if stats, err := do(opts); err != nil || stats.Records != 9 || fmt.Sprint(judge.tags) != "[0 3 6]" {
		t.Errorf("%d records with the tags %v, %v", stats.Records, judge.tags, err)
	}
}
