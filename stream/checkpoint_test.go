package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// snapshot is what a checkpoint makes durable.
type snapshot struct {
	stats Stats
	index keySet
}

// onlyReader hides that a reader can seek.
type onlyReader struct{ io.Reader }

// TestResumeAtEveryCheckpoint is the promise of checkpoints: whichever one a run was cut back to,
// resuming gives the output and the counts of a run that was never interrupted.
func TestResumeAtEveryCheckpoint(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		input := records(rt)
		inputs := inSeveral(rt, input)
		var out, duplicates, rejects, flags bytes.Buffer
		options := func() Options {
			opts := testOptions(t, nil, &out)
			opts.Inputs = inputs
			opts.MaxRecord = 100 // so that some records come in pieces
			opts.Duplicates, opts.Rejects, opts.Sinks = &duplicates, &rejects, []Sink{Flags(&flags)}
			return opts
		}
		index := keySet{}
		var taken []snapshot
		opts := options()
		opts.Method.Judge = byVotes(index, 1)
		opts.Checkpoints = &Checkpoints{
			Records: rapid.Uint64Range(1, 20).Draw(rt, "interval"),
			Commit: func(s Stats) error {
				if s.Written.Output != uint64(out.Len()) || 2*s.Records != uint64(flags.Len()) {
					rt.Fatalf("a checkpoint before its output was written")
				}
				taken = append(taken, snapshot{roundTrip(rt, s), maps.Clone(index)})
				return nil
			},
		}
		final, err := do(opts)
		if err != nil {
			rt.Fatal(err)
		}
		want := []string{out.String(), duplicates.String(), rejects.String(), flags.String()}
		for _, s := range taken {
			w := s.stats.Written
			out.Truncate(int(w.Output))
			duplicates.Truncate(int(w.Duplicates))
			rejects.Truncate(int(w.Rejects))
			flags.Truncate(int(2 * s.stats.Records))
			resumed := options()
			resumed.Method.Judge, resumed.From = byVotes(s.index, 1), s.stats
			stats, err := do(resumed)
			if err != nil {
				rt.Fatal(err)
			}
			if got := []string{out.String(), duplicates.String(), rejects.String(),
				flags.String()}; !reflect.DeepEqual(got, want) {
				rt.Fatalf("resumed after %d records:\n%q\nwant\n%q", s.stats.Records, got, want)
			}
			if !reflect.DeepEqual(stats, final) {
				rt.Fatalf("resumed after %d records: counts %+v, want %+v", s.stats.Records, stats, final)
			}
		}
	})
}

// roundTrip stores counts as the index does.
func roundTrip(t *rapid.T, s Stats) Stats {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Stats
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

// TestALongInputIsSkippedBeyondItsHead resumes after more than the head of an input, by seeking
// and by reading.
func TestALongInputIsSkippedBeyondItsHead(t *testing.T) {
	input := family(0, 500)
	if len(input) < 3*record.HeadSize {
		t.Fatalf("an input of %d bytes is not long", len(input))
	}
	for _, in := range []io.Reader{strings.NewReader(input), onlyReader{strings.NewReader(input)}} {
		var out bytes.Buffer
		var half Stats
		opts := testOptions(t, &chunks{data: []byte(input), sizes: []int{20000}}, io.Discard)
		opts.Checkpoints = &Checkpoints{Records: 250, Commit: func(s Stats) error {
			if half.Records == 0 {
				half = s
			}
			return nil
		}}
		if _, err := do(opts); err != nil {
			t.Fatal(err)
		}
		opts = testOptions(t, in, &out)
		opts.From = half
		if _, err := do(opts); err != nil || out.String() != input[half.BytesIn:] {
			t.Errorf("%v, %d bytes after %d of %d", err, out.Len(), half.BytesIn, len(input))
		}
		if _, err := do(testOptionsFrom(t, in, half)); err == nil {
			t.Error("an input that has been read to its end was resumed")
		}
	}
}

func testOptionsFrom(t *testing.T, in io.Reader, from Stats) Options {
	opts := testOptions(t, in, io.Discard)
	opts.From = from
	return opts
}

func TestAShorterInputCannotBeResumed(t *testing.T) {
	for _, in := range []io.Reader{strings.NewReader("short"), iotest.OneByteReader(strings.NewReader("short"))} {
		opts := testOptions(t, in, io.Discard)
		opts.From = Stats{Records: 3, BytesIn: 6, At: Position{Name: "test", Records: 3, Bytes: 6, Head: 1}}
		_, err := do(opts)
		if err == nil || !strings.Contains(err.Error(), "test has 5 bytes, but the run to be resumed had read 6") {
			t.Errorf("%v", err)
		}
	}
}

func TestAnotherInputCannotBeResumed(t *testing.T) {
	opts := testOptions(t, strings.NewReader(family(0, 10)), io.Discard)
	stats, err := do(opts)
	if err != nil {
		t.Fatal(err)
	}
	opts.Inputs, opts.From = oneInput(strings.NewReader(family(1, 20))), stats
	_, err = do(opts)
	if err == nil || !strings.Contains(err.Error(), "does not begin like the input of the run to be resumed") {
		t.Errorf("%v", err)
	}
}

// TestAnInputThatHasChangedCannotBeResumed changes a byte behind the head of an input and before
// the position, which is found by seeking and by reading. Bytes after the position may change.
func TestAnInputThatHasChangedCannotBeResumed(t *testing.T) {
	input := []byte(family(0, 500))
	var half Stats
	opts := testOptions(t, &chunks{data: input, sizes: []int{20000}}, io.Discard)
	opts.Checkpoints = &Checkpoints{Records: 250, Commit: func(s Stats) error {
		if half.Records == 0 {
			half = s
		}
		return nil
	}}
	if _, err := do(opts); err != nil {
		t.Fatal(err)
	}
	if half.At.Bytes < record.HeadSize+tailSize || half.At.Tail == 0 {
		t.Fatalf("%+v", half.At)
	}
	for _, c := range []struct {
		at      uint64
		refused bool
	}{{half.At.Bytes - 2, true}, {half.At.Bytes - tailSize, true}, {half.At.Bytes + 2, false}} {
		changed := bytes.Clone(input)
		changed[c.at] ^= 1
		for _, in := range []io.Reader{bytes.NewReader(changed), onlyReader{bytes.NewReader(changed)}} {
			_, err := do(testOptionsFrom(t, in, half))
			if refused := errors.As(err, new(*ResumeError)); refused != c.refused {
				t.Errorf("byte %d of %d has changed: %v", c.at, half.At.Bytes, err)
			}
		}
	}
}

// TestCheckpointsGoOnWhileTheInputIsIdle waits for a checkpoint by time, of records that came
// before the input fell silent.
func TestCheckpointsGoOnWhileTheInputIsIdle(t *testing.T) {
	in, feed := io.Pipe()
	reached := make(chan Stats)
	opts := testOptions(t, in, io.Discard)
	opts.Checkpoints = &Checkpoints{Every: time.Millisecond, Commit: func(s Stats) error { reached <- s; return nil }}
	done := make(chan error)
	go func() { _, err := do(opts); done <- err }()
	io.WriteString(feed, family(0, 3))
	if s := <-reached; s.Records != 3 {
		t.Errorf("%d records", s.Records)
	}
	feed.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAStoppedRunLeavesACheckpoint(t *testing.T) {
	in, feed := io.Pipe()
	out := &signalWriter{wrote: make(chan struct{}, 1)}
	var last Stats
	opts := testOptions(t, in, out)
	opts.Checkpoints = &Checkpoints{Every: time.Hour, Commit: func(s Stats) error { last = s; return nil }}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	run, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, err := run.Do(ctx); done <- err }()
	io.WriteString(feed, family(0, 4)+`{"text":"half`)
	<-out.wrote
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || last.Records != 4 ||
		last.Written.Output != uint64(out.Len()) {
		t.Errorf("%v, %+v", err, last)
	}
	feed.Close()
}

func TestAFailedCheckpointEndsTheRun(t *testing.T) {
	var out bytes.Buffer
	opts := testOptions(t, &chunks{data: []byte(family(0, 100)), sizes: []int{2000}}, &out)
	commits := 0
	opts.Checkpoints = &Checkpoints{Records: 10, Commit: func(Stats) error {
		if commits++; commits == 3 {
			return errFull
		}
		return nil
	}}
	written := 0
	stats, err := do(opts)
	written = out.Len()
	if !errors.Is(err, errFull) || stats.Complete || commits != 3 || written != int(stats.Written.Output) {
		t.Errorf("%v after %d commits, %+v, %d bytes", err, commits, stats, written)
	}
}

// TestNoCheckpointStandsBehindALineWithoutEnd: the line may go on when the input is given again,
// and a run that is resumed behind it would take the rest of it for a record.
func TestNoCheckpointStandsBehindALineWithoutEnd(t *testing.T) {
	var out bytes.Buffer
	opts := testOptions(t, nil, &out)
	opts.Inputs = []Input{
		bytesInput("a", "{\"text\":\"one\"}\n{\"text\":\"tw"), bytesInput("b", "{\"text\":\"three\"}\n"),
	}
	var at []uint64
	opts.Checkpoints = &Checkpoints{Records: 1, Commit: func(s Stats) error { at = append(at, s.Records); return nil }}
	stats, err := do(opts)
	if err != nil || stats.Rejects.CutOff() != 1 || stats.FirstCut.String() != "a:2: "+ErrCutOff.Error() {
		t.Fatalf("%v, %+v", err, stats)
	}
	if want := []uint64{1, 3}; !reflect.DeepEqual(at, want) && !reflect.DeepEqual(at, want[1:]) {
		t.Errorf("checkpoints after %v records, want %v", at, want)
	}
}

func bytesInput(name, content string) Input {
	return Input{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(iotest.DataErrReader(strings.NewReader(content))), nil
	}}
}
