package stream

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestParseTime(t *testing.T) {
	const second = 1709213820 // 2024-02-29 13:37:00 UTC
	for _, s := range []string{
		"2024-02-29T13:37:00Z", "2024-02-29T14:37:00+01:00", "2024-02-29T14:37:00+0100", "2024-02-29T13:37:00.999Z",
		"2024-02-29 13:37:00", "2024-02-29 15:37:00+02:00", "2024-02-29T13:37:00", "20240229133700",
		"Thu, 29 Feb 2024 13:37:00 GMT", "Thu, 29 Feb 2024 13:37:00 +0000", " 1709213820 ", "1709213820.9",
		"1709213820000", "1709213820000000", "1709213820000000123",
		"29/Feb/2024:13:37:00 +0000", "Thu Feb 29 13:37:00 2024", "2024-02-29 13:37:00,999", "24/02/29 13:37:00",
	} {
		if got, ok := ParseTime(s); !ok || got != second {
			t.Errorf("%q is %d, %v", s, got, ok)
		}
	}
	for s, want := range map[string]int64{"2024-02-29": 1709164800, "0": 0, "-1.5": -2, "1969-12-31T23:59:59Z": -1} {
		if got, ok := ParseTime(s); !ok || got != want {
			t.Errorf("%q is %d, %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "soon", "2024-02-30", "29.02.2024", "NaN", "Inf", "1e300", "true", "null",
		"Feb 29 13:37:00", "2024-02-29T13:37:00Z and more"} {
		if got, ok := ParseTime(s); ok {
			t.Errorf("%q is %d", s, got)
		}
	}
}

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
{"text":"","at":5}
{"text":"cows see stars","at":"7"}
not JSON
{"text":"dogs do dig","at":[1]}
{"text":"even eels eat","at":9.5}
`
	const csv = "text,at\nan apple fell,2024-02-29\nby the river,\n,5\ncows see stars,7\ndogs do dig,never\n" +
		"even eels eat,9.5\n"
	for name, c := range map[string]struct {
		format Format
		input  string
	}{
		"jsonl": {JSONLines(fieldsOf(t, "text")), jsonl}, "csv": {CSV(',', true, []string{"text"}), csv},
		"messages": {Messages(JSONLines(fieldsOf(t, "text"))), jsonl},
	} {
		for _, threads := range []int{1, 3} {
			index, out := &timedIndex{keySet: keySet{}}, &bytes.Buffer{}
			opts := testOptions(t, strings.NewReader(c.input), out)
			opts.Format, opts.Timed, opts.Time, opts.Threads = c.format, true, "at", threads
			opts.Method.Judge = ByVotes(index, testBands)
			stats, err := do(opts)
			if err != nil {
				t.Fatal(err)
			}
			if want := []int64{1709164800, 7, 9}; !reflect.DeepEqual(index.times, want) {
				t.Errorf("%s: times %v, want %v", name, index.times, want)
			}
			if stats.Rejects[noTime] != 2 || stats.Empty != 1 || out.String() != c.input {
				t.Errorf("%s: %d without a time, %d empty, output %q", name, stats.Rejects[noTime], stats.Empty, out)
			}
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
