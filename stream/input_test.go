package stream

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// inSeveral cuts an input between its records into several, with reads of any size.
func inSeveral(t *rapid.T, input string) []Input {
	lines := strings.SplitAfter(input, "\n")
	var inputs []Input
	for n := rapid.IntRange(1, 4).Draw(t, "inputs"); n > 0; n-- {
		count := len(lines)
		if n > 1 {
			count = rapid.IntRange(0, len(lines)).Draw(t, "lines")
		}
		part := strings.Join(lines[:count], "")
		lines = lines[count:]
		sizes := rapid.SliceOfN(rapid.IntRange(1, 2000), 1, 4).Draw(t, "read sizes")
		seekable := rapid.Bool().Draw(t, "seekable")
		inputs = append(inputs, Input{Name: "part" + string(rune('0'+n)), Open: func() (io.ReadCloser, error) {
			if seekable {
				return asCloser(strings.NewReader(part)), nil
			}
			return asCloser(&chunks{data: []byte(part), sizes: sizes}), nil
		}})
	}
	return inputs
}

// TestSeveralInputsAreOneStream is that it makes no difference between which records an input ends.
func TestSeveralInputsAreOneStream(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		input := records(rt)
		var out, flags bytes.Buffer
		opts := testOptions(t, nil, &out)
		opts.Inputs, opts.Sinks = inSeveral(rt, input), []Sink{Flags(&flags)}
		stats, err := do(opts)
		var want serial
		want.run(t, input, opts, 1)
		if err != nil || out.String() != want.kept.String() || flags.String() != want.flags.String() ||
			stats.BytesIn != uint64(len(input)) {
			rt.Fatalf("%v, %+v\n%q\nwant\n%q", err, stats, out.String(), want.kept.String())
		}
	})
}

func TestAPlaceIsALineOfItsInput(t *testing.T) {
	opts := testOptions(t, nil, io.Discard)
	opts.Inputs = append(oneInput(strings.NewReader(family(0, 3))),
		Input{Name: "second", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(family(1, 1) + "{\n")), nil
		}})
	stats, err := do(opts)
	if err != nil || stats.FirstReject.String() != "second:2: the line is not valid JSON" {
		t.Errorf("%v, %v", stats.FirstReject, err)
	}
}

// broken are three inputs, of which the second breaks off and the third cannot be opened, and a
// fourth.
func broken() []Input {
	failing := errors.New("bad sector")
	open := func(r io.Reader, err error) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(r), err }
	}
	return []Input{
		{Name: "a", Open: open(strings.NewReader(family(0, 3)), nil)},
		{Name: "b", Open: open(io.MultiReader(strings.NewReader(family(1, 2)+`{"text":"ha`), iotest.ErrReader(failing)), nil)},
		{Name: "c", Open: open(nil, failing)},
		{Name: "d", Open: open(strings.NewReader(family(2, 4)), nil)},
	}
}

func TestLostInputsAreLeftBehind(t *testing.T) {
	var out bytes.Buffer
	var places []string
	opts := testOptions(t, nil, &out)
	opts.Inputs = broken()
	opts.OnLost = func(p Place) { places = append(places, p.String()) }
	stats, err := do(opts)
	if err != nil || out.String() != family(0, 3)+family(1, 2)+family(2, 4) || stats.Lost != 2 || stats.Records != 9 {
		t.Errorf("%v, %+v", err, stats)
	}
	if got := strings.Join(places, "; "); got != "b:2: bad sector; c: bad sector" ||
		stats.FirstLost.String() != places[0] {
		t.Errorf("%s", got)
	}
}

func TestALostInputEndsARunThatShallNotGoOn(t *testing.T) {
	var out bytes.Buffer
	opts := testOptions(t, nil, &out)
	opts.Inputs = broken()
	stats, err := do(opts)
	if err == nil || err.Error() != "read b: after line 2: bad sector" || out.String() != family(0, 3)+family(1, 2) ||
		stats.Complete {
		t.Errorf("%v, %+v", err, stats)
	}
}

// TestAShortageIsNoLostInput: the same command can read the input another time. So the run ends,
// and is not committed as one that has dealt with the input.
func TestAShortageIsNoLostInput(t *testing.T) {
	for _, shortage := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOSPC} {
		for name, in := range map[string]Input{
			"open": {Name: "b", Open: func() (io.ReadCloser, error) {
				return nil, &os.PathError{Op: "open", Path: "b", Err: shortage}
			}},
			"read": {Name: "b", Open: func() (io.ReadCloser, error) {
				failing := iotest.ErrReader(&os.PathError{Op: "read", Path: "b", Err: shortage})
				return io.NopCloser(failing), nil
			}},
		} {
			opts := testOptions(t, strings.NewReader(family(0, 3)), io.Discard)
			opts.Inputs = append(opts.Inputs, in)
			opts.OnLost = func(p Place) { t.Errorf("%v in %s: lost %s", shortage, name, p) }
			stats, err := do(opts)
			if !errors.Is(err, shortage) || stats.Complete || stats.Lost != 0 || stats.Records != 3 {
				t.Errorf("%v in %s: %v, %+v", shortage, name, err, stats)
			}
		}
	}
}

// TestALostInputIsNotReadAgain resumes at each checkpoint of a run that loses inputs: each
// counts once.
func TestALostInputIsNotReadAgain(t *testing.T) {
	var taken []Stats
	opts := testOptions(t, nil, io.Discard)
	opts.Inputs, opts.Method.Judge, opts.OnLost = broken(), KeepAll(), func(Place) {}
	opts.Checkpoints = &Checkpoints{Records: 1, Commit: func(s Stats) error { taken = append(taken, s); return nil }}
	final, err := do(opts)
	if err != nil || len(taken) < 3 {
		t.Fatalf("%d checkpoints, %v", len(taken), err)
	}
	for _, from := range append(taken, final) {
		opts.Inputs, opts.From = broken(), from
		stats, err := do(opts)
		if err != nil || stats.Records != 9 || stats.Lost != 2 || stats.At != final.At {
			t.Errorf("resumed after %+v: %v, %+v", from, err, stats)
		}
	}
}

func TestOtherInputsCannotBeResumed(t *testing.T) {
	opts := testOptions(t, nil, io.Discard)
	opts.Inputs, opts.From = broken(), Stats{Records: 5, At: Position{Input: 1, Name: "x", Records: 2}}
	_, err := do(opts)
	if err == nil || err.Error() != "input 2 of the run to be resumed was x: give it the same "+
		"inputs, in the same order" {
		t.Errorf("%v", err)
	}
}

// TestOtherInputsBeforeCannotBeResumed checks the names of the inputs that were read to their ends.
func TestOtherInputsBeforeCannotBeResumed(t *testing.T) {
	inputs := func(names ...string) (list []Input) {
		for i, name := range names {
			text := family(uint64(i), 3)
			list = append(list, Input{Name: name, Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(text)), nil
			}})
		}
		return list
	}
	opts := testOptions(t, nil, io.Discard)
	opts.Inputs = inputs("a", "b", "c")
	var second Stats
	opts.Checkpoints = &Checkpoints{Records: 1, Commit: func(s Stats) error {
		if s.At.Input == 1 {
			second = s
		}
		return nil
	}}
	if _, err := do(opts); err != nil || second.At.Name != "b" {
		t.Fatalf("%v, %+v", err, second.At)
	}
	for _, c := range []struct {
		names   []string
		refused bool
	}{{[]string{"a", "b", "c"}, false}, {[]string{"a", "b"}, false}, {[]string{"c", "b", "a"}, true},
		{[]string{"", "b", "c"}, true}} {
		of := Source{Inputs: inputs(c.names...)}
		_, in, err := of.resume(second.At)
		if refused := errors.As(err, new(*ResumeError)); refused != c.refused {
			t.Errorf("%q: %v", c.names, err)
		}
		if in.isOpen() {
			in.close()
		}
	}
}

// A position comes from a file, which may say anything.
func TestResumeAtNoInput(t *testing.T) {
	of := Source{Inputs: []Input{{Name: "a"}}}
	for _, input := range []int{-1, 1, 1 << 40} {
		if _, _, err := of.resume(Position{Input: input, Name: "a", Records: 1}); err == nil {
			t.Errorf("a run goes on in input %d", input)
		}
	}
}
