package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// noted is a judge that writes down what a run knows about each record: its sketch, or why it has
// none. It hands that over as a RecordReader.
type noted struct {
	sketches [][]uint64 // empty where there is a problem
	problems []Problem
}

func (s *noted) decide(b Batch, out []Verdict) (int, error) {
	for i := range b.Len() {
		s.sketches, s.problems = append(s.sketches, slices.Clone(b.Sketch(i))), append(s.problems, b.Problems[i])
	}
	clear(out)
	return len(out), nil
}

// ReadRecords hands over what was noted, some records at a time.
func (s *noted) ReadRecords(_ context.Context, to *Records) error {
	n := min(3, len(s.sketches))
	for i := range n {
		problem, _ := record.ProblemNamed(s.problems[i].Name())
		if s.problems[i] == (Problem{}) {
			problem = Problem{}
		}
		at := len(to.Sketches)
		to.Sketches = append(to.Sketches, s.sketches[i]...)
		to.List = append(to.List, Record{Problem: problem, Sketch: Span{Start: at, End: len(to.Sketches)}})
	}
	s.sketches, s.problems = s.sketches[n:], s.problems[n:]
	if len(s.sketches) == 0 {
		return io.EOF
	}
	return nil
}

func (*noted) Skip(Position) error { return nil }
func (*noted) Close() error        { return nil }

// lines are verdicts as they stand in flags.
type lines []string

func (l *lines) decide(_ Batch, out []Verdict) (int, error) {
	for i := range out {
		if len(*l) == 0 {
			return i, errors.New("there are no more flags")
		}
		out[i] = Verdict{Duplicate: (*l)[0] == "0"}
		*l = (*l)[1:]
	}
	return len(out), nil
}

func (l *lines) method() Method { return Method{Judge: Judge{Decide: l.decide}, DecidesAll: true} }

// TestSketchesAndVerdictsMayComeFromElsewhere cuts a run in three, in every format: the sketches of
// all records, verdicts from sketches alone, and an output from verdicts alone, are what one run
// gives.
func TestSketchesAndVerdictsMayComeFromElsewhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := someTexts(rt, 40)
		sizes := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 4).Draw(rt, "read sizes")
		maxRecord := rapid.SampledFrom([]int{50, 1 << 20}).Draw(rt, "max-record")
		onError := rapid.SampledFrom([]string{ErrorKeep, ErrorDivert}).Draw(rt, "on error")
		empty := rapid.SampledFrom([]string{EmptyKeep, EmptyDrop, EmptyReject}).Draw(rt, "empty")
		convert := rapid.Bool().Draw(rt, "convert")
		policy := func(o *Options) { o.OnError, o.Empty, o.Convert = onError, empty, convert }
		for _, d := range documents(rt, texts) {
			out, flags, _, want := formatRun(rt, d, maxRecord, sizes, policy)

			notes := &noted{}
			nothing, _, _, _ := formatRun(rt, d, maxRecord, sizes, func(o *Options) {
				o.Method.Judge, o.Output = Judge{Decide: notes.decide}, nil
			})
			if nothing != "" || len(notes.sketches) != len(texts) {
				rt.Fatalf("%s: %d of %d records, %q", d.name, len(notes.sketches), len(texts), nothing)
			}

			var again bytes.Buffer
			opts := testOptions(t, nil, nil)
			opts.Inputs = []Input{{Name: "a.sketch", OpenRecords: func() (RecordReader, error) { return notes, nil }}}
			opts.Format, opts.Output, opts.MaxRecord = Framed("record", nil), nil, maxRecord
			opts.Method.NewSketcher, opts.Sinks = nil, []Sink{Flags(&again)}
			policy(&opts)
			got, err := do(opts)
			if err != nil || again.String() != flags {
				rt.Fatalf("%s: %v, flags %q, want %q", d.name, err, again.String(), flags)
			}
			if got.Unseen != want.Unseen || got.Duplicates != want.Duplicates || got.Empty != want.Empty ||
				got.Rejects != want.Rejects {
				rt.Fatalf("%s: %+v, want %+v", d.name, got, want)
			}

			verdicts := lines(strings.Fields(flags))
			applied, _, _, _ := formatRun(rt, d, maxRecord, sizes, func(o *Options) {
				policy(o)
				o.Method = verdicts.method()
			})
			if applied != out || len(verdicts) != 0 {
				rt.Fatalf("%s: %d flags are left, output\n%q\nwant\n%q", d.name, len(verdicts), applied, out)
			}
		}
	})
}

func TestAnErrorOfAVerdictNamesTheRecord(t *testing.T) {
	verdicts := lines{"1"}
	var out bytes.Buffer
	opts := testOptions(t, strings.NewReader("one\ntwo\n"), &out)
	opts.Method = verdicts.method()
	_, err := do(opts)
	if err == nil || err.Error() != "test:2: there are no more flags" || out.String() != "one\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}

func TestWhatCannotBeConvertedIsNotKept(t *testing.T) {
	verdicts := lines{"1", "1"}
	opts := testOptions(t, strings.NewReader("a,b\n1,2\n1,2,3\n"), io.Discard)
	opts.Format, opts.Convert, opts.OnError = CSV(',', true, []string{"1"}), true, ErrorDivert
	opts.Method = verdicts.method()
	_, err := do(opts)
	if want := "test:2: the record is to be kept, but it cannot be converted: the row has not as many " +
		"fields as the first one"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
