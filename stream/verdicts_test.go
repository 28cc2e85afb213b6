package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sketches are what a run knows about each record: its keys, or why it has none.
type sketches struct {
	keys     [][]Key // nil where there is a problem
	problems []Problem
}

func (s *sketches) Observe(keys []Key) (bool, error) {
	s.keys, s.problems = append(s.keys, append([]Key(nil), keys...)), append(s.problems, Problem{})
	return false, nil
}

func (s *sketches) unasked(p Problem) error {
	s.keys, s.problems = append(s.keys, nil), append(s.problems, p)
	return nil
}

// ReadRecords hands over what was noted, some records at a time.
func (s *sketches) ReadRecords(_ context.Context, to *Records) error {
	n := min(3, len(s.keys))
	for i := range n {
		problem, _ := ProblemNamed(s.problems[i].Name())
		if s.problems[i] == (Problem{}) {
			problem = Problem{}
		}
		to.Keys = append(to.Keys, s.keys[i]...)
		to.List = append(to.List, Record{Problem: problem})
	}
	s.keys, s.problems = s.keys[n:], s.problems[n:]
	if len(s.keys) == 0 {
		return io.EOF
	}
	return nil
}

func (*sketches) Skip(Position) error { return nil }
func (*sketches) Close() error        { return nil }

// lines are verdicts as they stand in flags.
type lines []string

func (l *lines) Next() (bool, error) {
	if len(*l) == 0 {
		return false, errors.New("there are no more flags")
	}
	keep := (*l)[0] == "1"
	*l = (*l)[1:]
	return keep, nil
}

// TestKeysAndVerdictsMayComeFromElsewhere cuts a run in three, in every format: the keys of all records, verdicts from keys alone, and
// an output from verdicts alone, are what one run gives.
func TestKeysAndVerdictsMayComeFromElsewhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := someTexts(rt, 40)
		sizes := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 4).Draw(rt, "read sizes")
		maxRecord := rapid.SampledFrom([]int{50, 1 << 20}).Draw(rt, "max-record")
		onError := rapid.SampledFrom([]string{ErrorKeep, ErrorDivert}).Draw(rt, "on error")
		empty := rapid.SampledFrom([]string{EmptyKeep, EmptyDrop, EmptyReject}).Draw(rt, "empty")
		convert := onError == ErrorDivert && rapid.Bool().Draw(rt, "convert")
		policy := func(o *Options) { o.OnError, o.Empty, o.Convert = onError, empty, convert }
		for _, d := range documents(rt, texts) {
			out, flags, _, want := formatRun(rt, d, maxRecord, sizes, policy)

			noted := &sketches{}
			nothing, _, _, _ := formatRun(rt, d, maxRecord, sizes, func(o *Options) {
				o.Index, o.Unasked, o.Output = noted, noted.unasked, nil
			})
			if nothing != "" || len(noted.keys) != len(texts) {
				rt.Fatalf("%s: %d of %d records, %q", d.name, len(noted.keys), len(texts), nothing)
			}

			var again bytes.Buffer
			opts := testOptions(t, nil, nil)
			opts.Inputs = []Input{{Name: "a.sketch", OpenRecords: func() (RecordReader, error) { return noted, nil }}}
			opts.Format, opts.Sketcher, opts.Output, opts.Flags, opts.MaxRecord = Framed("record", nil), nil, nil, &again, maxRecord
			policy(&opts)
			got, err := New(opts).Do(context.Background())
			if err != nil || again.String() != flags {
				rt.Fatalf("%s: %v, flags %q, want %q", d.name, err, again.String(), flags)
			}
			if got.Unseen != want.Unseen || got.Duplicates != want.Duplicates || got.Empty != want.Empty || got.Rejects != want.Rejects {
				rt.Fatalf("%s: %+v, want %+v", d.name, got, want)
			}

			verdicts := lines(strings.Fields(flags))
			applied, _, _, _ := formatRun(rt, d, maxRecord, sizes, func(o *Options) {
				policy(o)
				o.Sketcher, o.Index, o.Verdicts = nil, nil, &verdicts
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
	opts.Sketcher, opts.Index, opts.Verdicts = nil, nil, &verdicts
	_, err := New(opts).Do(context.Background())
	if err == nil || err.Error() != "test:2: there are no more flags" || out.String() != "one\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}

func TestWhatCannotBeConvertedIsNotKept(t *testing.T) {
	verdicts := lines{"1", "1"}
	opts := testOptions(t, strings.NewReader("a,b\n1,2\n1,2,3\n"), io.Discard)
	opts.Format, opts.Convert, opts.OnError = CSV(',', true, []string{"1"}), true, ErrorDivert
	opts.Sketcher, opts.Index, opts.Verdicts = nil, nil, &verdicts
	_, err := New(opts).Do(context.Background())
	if want := "test:2: the record is to be kept, but it cannot be converted: the row has not as many fields as the first one"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestProblemsHaveNames(t *testing.T) {
	for _, name := range ProblemNames() {
		p, ok := ProblemNamed(name)
		if !ok || p.Name() != name || p.describe(Framed("record", nil), 0) == (Problem{}).describe(Framed("record", nil), 0) {
			t.Errorf("%q: %+v, %v", name, p, ok)
		}
	}
	if _, ok := ProblemNamed("readable"); ok {
		t.Error("a readable record has a problem")
	}
}
