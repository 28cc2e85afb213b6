package stream

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// timedIndex notes what it is told.
type timedIndex struct {
	keySet
	times []int64
}

func (x *timedIndex) ObserveAt(times []int64, keys []Key, votes []uint16) (int, error) {
	x.times = append(x.times, times...)
	return x.Observe(keys, votes)
}

// The judge is told the times of the records that have a sketch. One without a time cannot be
// judged, and goes on.
func TestTimesReachTheIndex(t *testing.T) {
	const jsonl = `{"text":"an apple fell","at":"2024-02-29T00:00:00Z"}
{"text":"by the river"}
{"text":"","at":1700000005}
{"text":"cows see stars","at":"100000007"}
not JSON
{"text":"dogs do dig","at":[1]}
{"text":"even eels eat","at":100000009.5}
`
	const csv = "text,at\nan apple fell,2024-02-29\nby the river,\n,1700000005\ncows see stars,100000007\n" +
		"dogs do dig,never\n" +
		"even eels eat,100000009.5\n"
	for name, c := range map[string]struct {
		format Format
		input  string
	}{
		"jsonl": {JSONLines(fieldsOf(t, "text")), jsonl}, "csv": {CSV(',', true, []string{"text"}), csv},
		"messages": {record.Messages(JSONLines(fieldsOf(t, "text"))), jsonl},
	} {
		for _, threads := range []int{1, 3} {
			index, out := &timedIndex{keySet: keySet{}}, &bytes.Buffer{}
			opts := testOptions(t, strings.NewReader(c.input), out)
			opts.Format, opts.Timed, opts.Time, opts.Threads = c.format, true, "at", threads
			opts.Method.Judge = byVotes(index, testBands)
			stats, err := do(opts)
			if err != nil {
				t.Fatal(err)
			}
			if want := []int64{1709164800, 100000007, 100000009}; !reflect.DeepEqual(index.times, want) {
				t.Errorf("%s: times %v, want %v", name, index.times, want)
			}
			if stats.Rejects[record.KindNoTime] != 2 || stats.Empty != 1 || out.String() != c.input {
				t.Errorf("%s: %d without a time, %d empty, output %q", name, stats.Rejects[record.KindNoTime],
					stats.Empty, out)
			}
			first := stats.FirstReject
			if first == nil || first.Record != 2 || !strings.Contains(first.Problem, `: field "at" `) {
				t.Errorf("%s: the first is %v", name, first)
			}
		}
	}
}

// Each input's first record without a time is named with what it has in its place, and no other.
func TestWhatIsNoTime(t *testing.T) {
	for input, want := range map[string]string{
		`{"text":"an apple fell","at":"2024-02-30"}`:                          `: field "at" is "2024-02-30"`,
		"not JSON\n" + `{"text":"an apple fell","at":"2024-02-30"}`:           "is not valid JSON",
		`{"text":"an apple fell","at":false}` + "\n" + `{"text":"a","at":""}`: `: field "at" is false`,
		`{"text":"an apple fell","at":null}` + "\n" + `{"text":"a","at":""}`:  `: field "at" has no value`,
	} {
		opts := testOptions(t, strings.NewReader(input), &bytes.Buffer{})
		opts.Timed, opts.Time = true, "at"
		opts.Method.Judge = byVotes(&timedIndex{keySet: keySet{}}, testBands)
		stats, err := do(opts)
		if err != nil || stats.FirstReject == nil || !strings.HasSuffix(stats.FirstReject.Problem, want) {
			t.Errorf("%s: %v, %v", input, stats.FirstReject, err)
		}
	}
}

func TestTimeOfNoField(t *testing.T) {
	opts := testOptions(t, strings.NewReader("a\n"), &bytes.Buffer{})
	opts.Format, opts.Timed, opts.Time = Text("\n"), true, "at"
	if _, err := do(opts); err == nil || !strings.Contains(err.Error(), `records have no "at"`) {
		t.Errorf("error %v", err)
	}
}
