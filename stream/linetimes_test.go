package stream

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// timedLines are lines of text, and the same texts as JSON with the times that they are to have:
// the member is missing where none is known.
type timedLines struct{ text, json string }

func drawTimedLines(t *rapid.T, year int) timedLines {
	var text, asJSON strings.Builder
	at, isKnown := time.Time{}, false
	for i := range rapid.IntRange(1, 60).Draw(t, "lines") {
		line := fmt.Sprintf("line of %d words", rapid.IntRange(0, 9).Draw(t, "words"))
		day := time.Date(2023, 12, 20, 0, 0, 0, 0, time.UTC).
			Add(time.Duration(rapid.IntRange(0, 20*86400).Draw(t, "second")) * time.Second)
		switch rapid.SampledFrom([]string{"none", "none", "ISO", "epoch", "syslog", "empty"}).Draw(t, "form") {
		case "ISO":
			line = day.Format("2006-01-02 15:04:05 ") + line
			at, isKnown = day, true
		case "epoch":
			line = fmt.Sprint(day.Unix(), " ", line)
			at, isKnown = day, true
		case "syslog":
			line = day.Format("Jan _2 15:04:05 ") + line
			if isKnown { // all are within 20 days, so the nearest year is that of the day or of the last one
				for _, y := range []int{at.Year() - 1, at.Year(), at.Year() + 1} {
					moved := time.Date(y, day.Month(), day.Day(), day.Hour(), day.Minute(), day.Second(), 0, time.UTC)
					if moved.Sub(at).Abs() < 100*24*time.Hour {
						day = moved
					}
				}
			} else {
				day = day.AddDate(year-day.Year(), 0, 0)
			}
			at, isKnown = day, true
		case "empty":
			line = "--"
		}
		fmt.Fprintln(&text, line)
		member := ""
		if isKnown {
			member = fmt.Sprintf(`,"at":%d`, at.Unix())
		}
		fmt.Fprintf(&asJSON, `{"n":%d,"text":%q%s}`+"\n", i, line, member)
	}
	return timedLines{text.String(), asJSON.String()}
}

// fieldSink notes the fields of records.
type fieldSink struct{ values []string }

func (s *fieldSink) Observe(d *Decided) error {
	s.values = append(s.values, string(d.Fields[0]))
	return nil
}

func (s *fieldSink) Flush() error { return nil }

// What lines of text say of their times is what JSON with those times says, whatever reads return
// and however many threads there are.
func TestTimesOfLines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		year := rapid.SampledFrom([]int{0, 2019}).Draw(rt, "year")
		lines := drawTimedLines(rt, max(year, timestamp.LeapYear))
		run := func(in io.Reader, change func(*Options)) (times []int64, told []string, rejects uint64, fates string) {
			index, fields, flags := &timedIndex{keySet: keySet{}}, &fieldSink{}, &bytes.Buffer{}
			opts := testOptions(t, in, io.Discard)
			opts.Timed, opts.Sinks = true, []Sink{fields, Flags(flags)}
			opts.Threads = rapid.IntRange(1, 4).Draw(rt, "threads")
			opts.Method.Judge = byVotes(index, testBands)
			change(&opts)
			stats, err := do(opts)
			if err != nil {
				rt.Fatal(err)
			}
			return index.times, fields.values, stats.Rejects[record.KindNoTime], flags.String()
		}
		wantTimes, wantTold, wantRejects, wantFates := run(strings.NewReader(lines.json), func(o *Options) {
			o.Time, o.Fields = "at", []string{"at"}
		})
		for _, in := range []io.Reader{
			strings.NewReader(lines.text), iotest.OneByteReader(strings.NewReader(lines.text)),
			&chunks{data: []byte(lines.text), sizes: []int{rapid.IntRange(1, 300).Draw(rt, "size")}},
		} {
			times, told, rejects, fates := run(in, func(o *Options) {
				o.Format, o.LineTimes, o.Fields = Text("\n"), &LineTimes{Year: year}, []string{LineTime}
			})
			if !reflect.DeepEqual(times, wantTimes) || rejects != wantRejects || fates != wantFates {
				rt.Fatalf("%q: times %v, want %v; %d rejects, want %d; flags %q, want %q",
					lines.text, times, wantTimes, rejects, wantRejects, fates, wantFates)
			}
			if !reflect.DeepEqual(told, wantTold) {
				rt.Fatalf("%q: sinks are told %v, want %v", lines.text, told, wantTold)
			}
		}
	})
}

// A run that is resumed knows the time of the last line before, and in which year it was.
func TestTimesOfLinesResumed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		input := []byte(drawTimedLines(rt, timestamp.LeapYear).text)
		size := rapid.IntRange(1, 300).Draw(rt, "size")
		options := func(index *timedIndex) Options {
			opts := testOptions(t, &chunks{data: input, sizes: []int{size}}, io.Discard)
			opts.Format, opts.Timed, opts.LineTimes = Text("\n"), true, &LineTimes{}
			opts.Method.Judge = byVotes(index, testBands)
			return opts
		}
		type state struct {
			stats Stats
			keys  keySet
			times int
		}
		var states []state
		index := &timedIndex{keySet: keySet{}}
		opts := options(index)
		opts.Checkpoints = &Checkpoints{Records: 1, Commit: func(s Stats) error {
			states = append(states, state{roundTrip(rt, s), maps.Clone(index.keySet), len(index.times)})
			return nil
		}}
		final, err := do(opts)
		if err != nil {
			rt.Fatal(err)
		}
		for _, s := range states {
			rest := &timedIndex{keySet: s.keys}
			opts := options(rest)
			opts.From = s.stats
			stats, err := do(opts)
			if err != nil {
				rt.Fatal(err)
			}
			if want := index.times[s.times:]; len(want)+len(rest.times) > 0 && !reflect.DeepEqual(rest.times, want) {
				rt.Fatalf("%q: resumed after %d lines: times %v, want %v", input, s.stats.Records, rest.times, want)
			}
			if !reflect.DeepEqual(stats, final) {
				rt.Fatalf("resumed after %d records: counts %+v, want %+v", s.stats.Records, stats, final)
			}
		}
	})
}

// A line that is too long has the time of the one before: which part of it is read is no matter.
func TestTimeOfALongLine(t *testing.T) {
	input := "2024-02-29 00:00:00 a short line\n2025-01-01 00:00:00" + strings.Repeat(" of many words", 1000) +
		"\nno time\n"
	for _, in := range []io.Reader{strings.NewReader(input), iotest.OneByteReader(strings.NewReader(input))} {
		index := &timedIndex{keySet: keySet{}}
		opts := testOptions(t, in, io.Discard)
		opts.Format, opts.Timed, opts.LineTimes, opts.MaxRecord = Text("\n"), true, &LineTimes{}, 100
		opts.Method.Judge = byVotes(index, testBands)
		if _, err := do(opts); err != nil {
			t.Fatal(err)
		}
		if want := []int64{1709164800, 1709164800}; !reflect.DeepEqual(index.times, want) {
			t.Errorf("times %v, want %v", index.times, want)
		}
	}
}

func TestLineTimesAreOfText(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"records are not lines of text": func(o *Options) { o.Format = CSV(',', true, []string{"text"}) },
		"Time do not go together":       func(o *Options) { o.Time = "at" },
		"the year 1066":                 func(o *Options) { o.LineTimes.Year = 1066 },
		`records have no "line"`:        func(o *Options) { o.ID = "line" },
	} {
		opts := testOptions(t, strings.NewReader("a\n"), io.Discard)
		opts.Format, opts.Timed, opts.LineTimes = Text("\n"), true, &LineTimes{}
		change(&opts)
		if _, err := do(opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// timedForeseeing is an index that wants to know what it will be asked, and is told times.
type timedForeseeing struct {
	*foreseeing
	times []int64
}

func (x *timedForeseeing) ObserveAt(times []int64, keys []Key, votes []uint16) (int, error) {
	x.times = append(x.times, times...)
	return x.Observe(keys, votes)
}

// Batches that are foreseen are those that come, with their times: a line without one stands after
// the batch before it.
func TestTimesOfForeseenLines(t *testing.T) {
	var input strings.Builder
	var want []int64
	for i := range 500 {
		switch {
		case i < 50:
		case i%3 == 0:
			fmt.Fprintf(&input, "%d ", 1_700_000_000+i)
			fallthrough
		default:
			want = append(want, int64(1_700_000_000+max(51, i-i%3)))
		}
		fmt.Fprintf(&input, "line %d of many\n", i)
	}
	want = want[1:] // line 50 has no time before it
	for _, threads := range []int{1, 3} {
		index := &timedForeseeing{foreseeing: &foreseeing{keySet: keySet{}}}
		opts := testOptions(t, &chunks{data: []byte(input.String()), sizes: []int{300}}, io.Discard)
		opts.Format, opts.Timed, opts.LineTimes = Text("\n"), true, &LineTimes{}
		opts.Method.Judge, opts.Ahead, opts.Threads = byVotes(index, testBands), 40*blockSize, threads
		stats, err := do(opts)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(index.times, want) || stats.Rejects[record.KindNoTime] != 51 {
			t.Errorf("%d lines without a time; times %v, want %v", stats.Rejects[record.KindNoTime], index.times, want)
		}
	}
}
