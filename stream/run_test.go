package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// keySet is an index without false positives: the model that runs are compared with.
type keySet map[Key]int // key → band

func (s keySet) Observe(keys []Key, votes []uint16) (observed int, err error) {
	for i := range votes {
		votes[i] = s.observe(keys[i*testBands : (i+1)*testBands])
	}
	return len(votes), nil
}

func (s keySet) observe(keys []Key) (votes uint16) {
	for band, k := range keys {
		if at, ok := s[k]; ok && at == band {
			votes++
		}
		s[k] = band
	}
	return votes
}

const testBands = 8

func testSketcher(t testing.TB) *sketch.Sketcher {
	t.Helper()
	s, err := sketch.New(sketch.Params{
		Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 2, Sketch: "fss", NumPerm: 32, Seed: 1, Bands: testBands,
		Rows: 4, BandKey: "xxh3",
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// do makes and does a run.
func do(opts Options) (Stats, error) {
	run, err := New(opts)
	if err != nil {
		return Stats{}, err
	}
	return run.Do(context.Background())
}

// oneInput is called test.
func oneInput(in io.Reader) []Input {
	return []Input{{Name: "test", Open: func() (io.ReadCloser, error) { return asCloser(in), nil }}}
}

// asCloser adds a Close to a reader, and leaves it its Seek.
func asCloser(in io.Reader) io.ReadCloser {
	if seeker, ok := in.(io.ReadSeeker); ok {
		return struct {
			io.ReadSeeker
			io.Closer
		}{seeker, io.NopCloser(nil)}
	}
	return io.NopCloser(in)
}

func testOptions(t testing.TB, in io.Reader, out io.Writer) Options {
	s := testSketcher(t)
	return Options{
		Source:  Source{Inputs: oneInput(in), Format: JSONLines(fieldsOf(t, "text")), MaxRecord: 4000},
		Method:  Method{NewSketcher: func() Sketcher { return s.Clone() }, Judge: byVotes(keySet{}, 1)},
		Outputs: Outputs{Output: out},
		OnError: ErrorKeep, Empty: EmptyKeep, Threads: 2,
	}
}

// serial is the specification of a run, record by record: what goes to each stream.
type serial struct{ kept, duplicates, rejects, flags strings.Builder }

func (m *serial) run(t testing.TB, input string, opts Options, votes int) {
	index, sketcher := keySet{}, testSketcher(t)
	j := opts.Format.NewParser()
	for n, line := range strings.SplitAfter(input, "\n") {
		if line == "" {
			continue
		}
		line = strings.TrimSuffix(line, "\n") + "\n"
		body := strings.TrimSuffix(line, "\n")
		if n == 0 {
			body = strings.TrimPrefix(body, "\xef\xbb\xbf")
		}
		text, p := j.Text([]byte(body))
		var keys []Key
		some := false
		if p.IsReadable() && len(body) <= opts.MaxRecord {
			keys, some = sketcher.BandKeys(nil, text)
		}
		isBlank := p.Kind() == record.KindBlankLine
		reject := !isBlank && (!p.IsReadable() || len(line)-1 > opts.MaxRecord || !some && opts.Empty == EmptyReject)
		if reject {
			m.rejects.WriteString(line)
		}
		keep := true
		switch {
		case isBlank:
		case reject:
			keep = opts.OnError != ErrorDivert
		case !some:
			keep = opts.Empty == EmptyKeep
		default:
			if int(index.observe(keys)) >= votes {
				keep = false
				m.duplicates.WriteString(line)
			}
		}
		if keep {
			m.kept.WriteString(line)
			m.flags.WriteString("1\n")
		} else {
			m.flags.WriteString("0\n")
		}
	}
}

// records draws an input with all that a stream has in it: duplicates, near-duplicates, bad lines,
// empty texts, long lines.
func records(t *rapid.T) string {
	words := strings.Fields("ox elk hen cat dog ant bee fox owl cow emu yak")
	var b strings.Builder
	for range rapid.IntRange(0, 60).Draw(t, "records") {
		switch rapid.IntRange(0, 19).Draw(t, "sort") {
		case 0:
			b.WriteString(rapid.SampledFrom([]string{"", " ", "{", "[1]", `{"text":null}`, `{"text":"\x"}`, "\xff", `{"text":"x"} x`, "\x00"}).Draw(t, "bad"))
		case 1:
			b.WriteString(rapid.SampledFrom([]string{`{"text":""}`, `{"text":" ... "}`, `{"text":"\u00ad"}`}).Draw(t, "empty"))
		case 2:
			fmt.Fprintf(&b, `{"text":"%s"}`, strings.Repeat("long ", rapid.IntRange(790, 810).Draw(t, "length")))
		default:
			rng := rand.New(rand.NewPCG(uint64(rapid.IntRange(0, 15).Draw(t, "family")), 7))
			b.WriteString(`{"id":` + fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "id")) + `,"text":"`)
			for range 20 {
				b.WriteString(words[rng.IntN(len(words))] + " ")
			}
			b.WriteString(rapid.SampledFrom([]string{"", "ox", "Ox!", "ünï"}).Draw(t, "ending") + `"}`)
		}
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n"}).Draw(t, "line end"))
	}
	return strings.TrimSuffix(b.String(), rapid.SampledFrom([]string{"", "\n"}).Draw(t, "final newline"))
}

// TestRunEqualsSerialModel is I1, I2 and I6: the output of any number of workers, with any sizes of
// reads, is what one loop over the lines would write.
func TestRunEqualsSerialModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		input := records(rt)
		sizes := rapid.SliceOfN(rapid.IntRange(1, 4000), 1, 4).Draw(rt, "read sizes")
		var kept, duplicates, rejects, flags bytes.Buffer
		opts := testOptions(t, &chunks{data: []byte(input), sizes: sizes}, &kept)
		opts.Duplicates, opts.Rejects, opts.Sinks = &duplicates, &rejects, []Sink{Flags(&flags)}
		opts.Threads = rapid.IntRange(1, 8).Draw(rt, "threads")
		opts.OnError = rapid.SampledFrom([]string{ErrorKeep, ErrorDivert, ErrorFail}).Draw(rt, "on-error")
		opts.Empty = rapid.SampledFrom([]string{EmptyKeep, EmptyDrop, EmptyReject}).Draw(rt, "empty")
		votes := rapid.IntRange(1, 4).Draw(rt, "votes")
		opts.Method.Judge = byVotes(keySet{}, votes)

		stats, err := do(opts)
		if err != nil {
			rt.Fatal(err)
		}
		var want serial
		want.run(t, input, opts, votes)
		for _, c := range []struct{ name, got, want string }{
			{"output", kept.String(), want.kept.String()},
			{"duplicates", duplicates.String(), want.duplicates.String()},
			{"rejects", rejects.String(), want.rejects.String()},
			{"flags", flags.String(), want.flags.String()},
		} {
			if c.got != c.want {
				rt.Fatalf("%s:\n%q\nwant\n%q", c.name, c.got, c.want)
			}
		}
		n := stats.Unseen + stats.Duplicates + stats.Empty + stats.Blank + stats.Rejects.Total()
		if n != stats.Records ||
			stats.Records != uint64(strings.Count(flags.String(), "\n")) ||
			stats.Written.Output != uint64(kept.Len()) || stats.BytesIn != uint64(len(input)) || !stats.Complete {
			rt.Fatalf("counts do not add up: %+v", stats)
		}
	})
}

func TestASecondPassRemovesEverything(t *testing.T) {
	input := family(0, 50) + family(1, 50)
	var once, twice bytes.Buffer
	opts := testOptions(t, strings.NewReader(input), &once)
	if _, err := do(opts); err != nil {
		t.Fatal(err)
	}
	opts.Inputs, opts.Output = oneInput(strings.NewReader(input)), &twice // the same index
	stats, err := do(opts)
	if err != nil || twice.Len() != 0 || stats.Duplicates != 100 {
		t.Errorf("%d bytes, %+v, %v", twice.Len(), stats, err)
	}
}

// family returns n records that have nothing in common.
func family(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range n {
		b.WriteString(`{"text":"`)
		for range 30 {
			fmt.Fprintf(&b, "%x ", rng.Uint64())
		}
		b.WriteString("\"}\n")
	}
	return b.String()
}

// A byte order mark is no part of a record, wherever files were joined; the output has it.
func TestByteOrderMarksAreNoPartOfRecords(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	for name, c := range map[string]struct {
		format Format
		input  string
	}{
		"JSON": {JSONLines(fieldsOf(t, "text")), mark + "{\"text\":\"one two\"}\n"},
		"text": {Text("\n"), mark + "one two\n"},
		"CSV":  {CSV(0, false, []string{"2"}), mark + "\"a,\nb\",one two\n"},
	} {
		var out bytes.Buffer
		opts := testOptions(t, strings.NewReader(c.input+c.input+c.input), &out)
		opts.Format = c.format
		stats, err := do(opts)
		if err != nil || stats.Unseen != 1 || stats.Duplicates != 2 || out.String() != c.input {
			t.Errorf("%s: %+v, %v, %q", name, stats, err, out.String())
		}
	}
}

func TestTheFirstRejectIsReportedWithItsPlace(t *testing.T) {
	opts := testOptions(t, strings.NewReader("{\"text\":\"a b\"}\n{\"text\":null}\n{\n"), io.Discard)
	stats, err := do(opts)
	if err != nil || stats.FirstReject.String() != `test:2: field "text" is null` || stats.Rejects.Total() != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// failAfter accepts left bytes and then fails.
type failAfter struct {
	bytes.Buffer
	left int
}

var errFull = errors.New("no space left")

func (f *failAfter) Write(p []byte) (int, error) {
	n := min(len(p), f.left)
	f.Buffer.Write(p[:n])
	f.left -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestAWriteErrorLeavesAPrefix lets each stream fail at many places: what was written is the
// beginning of what would have been.
func TestAWriteErrorLeavesAPrefix(t *testing.T) {
	input := family(0, 40) + "{\n" + family(0, 20) + family(1, 40)
	run := func(limits [4]int) (outputs [4]*failAfter, err error) {
		for i := range outputs {
			outputs[i] = &failAfter{left: limits[i]}
		}
		opts := testOptions(t, &chunks{data: []byte(input), sizes: []int{3000, 100}}, outputs[0])
		opts.Duplicates, opts.Rejects, opts.Sinks = outputs[1], outputs[2], []Sink{Flags(outputs[3])}
		_, err = do(opts)
		return outputs, err
	}
	const unlimited = 1 << 30
	want, err := run([4]int{unlimited, unlimited, unlimited, unlimited})
	if err != nil {
		t.Fatal(err)
	}
	for stream := range want {
		for limit := 0; limit < want[stream].Len(); limit += 1 + want[stream].Len()/7 {
			limits := [4]int{unlimited, unlimited, unlimited, unlimited}
			limits[stream] = limit
			got, err := run(limits)
			if !errors.Is(err, errFull) {
				t.Fatalf("stream %d fails after %d bytes: error %v", stream, limit, err)
			}
			for i := range got {
				if !strings.HasPrefix(want[i].String(), got[i].String()) {
					t.Fatalf("stream %d fails after %d bytes: stream %d is no prefix", stream, limit, i)
				}
			}
		}
	}
}

func TestAReadErrorComesAfterEverythingBeforeIt(t *testing.T) {
	input := family(0, 30)
	var out bytes.Buffer
	broken := errors.New("broken pipe dream")
	opts := testOptions(t, io.MultiReader(strings.NewReader(input+`{"text":"ha`), iotest.ErrReader(broken)), &out)
	stats, err := do(opts)
	if !errors.Is(err, broken) || out.String() != input || stats.Complete {
		t.Errorf("%v, %+v", err, stats)
	}
	if !strings.Contains(err.Error(), "test: after line 30") {
		t.Errorf("error without a place: %v", err)
	}
}

// failingIndex fails at one record.
type failingIndex struct {
	keySet
	left int
}

func (f *failingIndex) Observe(keys []Key, votes []uint16) (observed int, err error) {
	observed, _ = f.keySet.Observe(keys, votes[:min(f.left, len(votes))])
	f.left -= observed
	if observed < len(votes) {
		err = errFull
	}
	return observed, err
}

func TestAnIndexErrorComesAfterEverythingBeforeIt(t *testing.T) {
	input := family(0, 17) + "{\n" + family(1, 13)
	var out bytes.Buffer
	opts := testOptions(t, strings.NewReader(input), &out)
	opts.Method.Judge = byVotes(&failingIndex{keySet{}, 17}, 1)
	_, err := do(opts)
	if !errors.Is(err, errFull) || out.String() != family(0, 17)+"{\n" || !strings.Contains(err.Error(), "test:19: ") {
		t.Errorf("%v after %d records", err, strings.Count(out.String(), "\n"))
	}
}

func TestAJudgeThatForgetsARecordIsAnError(t *testing.T) {
	var out bytes.Buffer
	opts := testOptions(t, strings.NewReader(family(0, 5)), &out)
	opts.Method.Judge = Judge{Decide: func(_ Batch, out []Verdict) (int, error) { return len(out) - 1, nil }}
	_, err := do(opts)
	if err == nil || !strings.Contains(err.Error(), "has judged 4 of 5 records") ||
		strings.Count(out.String(), "\n") != 4 {
		t.Errorf("%v after %d records", err, strings.Count(out.String(), "\n"))
	}
}

func TestOptionsThatMeanNothingAreRefused(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Options)
	}{
		{"Format is missing", func(o *Options) { o.Format = nil }},
		{"Judge is missing", func(o *Options) { o.Method.Judge = Judge{} }},
		{"the separator of Text is empty", func(o *Options) { o.Format = Text("") }},
		{"MaxRecord is -1", func(o *Options) { o.MaxRecord = -1 }},
		{`OnError is "ignore"`, func(o *Options) { o.OnError = "ignore" }},
		{`Empty is "what"`, func(o *Options) { o.Empty = "what" }},
		{"input 1 (second) must have one", func(o *Options) { o.Inputs = append(o.Inputs, Input{Name: "second"}) }},
	} {
		opts := testOptions(t, strings.NewReader(""), io.Discard)
		c.change(&opts)
		if _, err := New(opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	opts := testOptions(t, strings.NewReader(family(0, 3)), io.Discard)
	opts.OnError, opts.Empty, opts.Threads, opts.MaxRecord = "", "", 0, 0
	if stats, err := do(opts); err != nil || stats.Unseen != 3 {
		t.Errorf("defaults: %+v, %v", stats, err)
	}
}

// TestStopWhileTheReaderIsBlocked ends a run whose input gives nothing any more: it returns at
// once, with the records before.
func TestStopWhileTheReaderIsBlocked(t *testing.T) {
	in, feed := io.Pipe()
	out := &signalWriter{wrote: make(chan struct{}, 1)}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan error)
	run, err := New(testOptions(t, in, out))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := run.Do(ctx)
		done <- err
	}()
	io.WriteString(feed, family(0, 5)+`{"text":"half a rec`)
	<-out.wrote // an idle pipe is flushed: what is decided arrives without more input
	cancel(stop)
	if err := <-done; !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	if out.String() != family(0, 5) {
		t.Errorf("%q", out.String())
	}
	feed.Close()
}

type signalWriter struct {
	bytes.Buffer
	wrote chan struct{}
}

func (w *signalWriter) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	w.wrote <- struct{}{}
	return n, err
}

func fieldsOf(t testing.TB, paths ...string) []Field {
	t.Helper()
	fields := make([]Field, len(paths))
	for i, path := range paths {
		var err error
		if fields[i], err = ParseField(path); err != nil {
			t.Fatal(err)
		}
	}
	return fields
}
