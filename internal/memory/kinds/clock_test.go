package kinds

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestClock(t *testing.T) {
	const day = 24 * 3600
	for name, c := range map[string]struct{ started, want []int64 }{
		"a little back":         {[]int64{100, 90, 101, 95}, []int64{100, 100, 101, 101}},
		"a day later":           {[]int64{100, 100 + day}, []int64{100, 100 + day}},
		"one of far later":      {[]int64{100, 9e9, 101, 102}, []int64{100, 100, 101, 102}},
		"one of far earlier":    {[]int64{9e8, 100, 9e8 + 1}, []int64{9e8, 9e8, 9e8 + 1}},
		"two of far later":      {[]int64{100, 9e9, 9e9 + 1}, []int64{100, 100, 9e9 + 1}},
		"far later and later":   {[]int64{100, 5e8, 9e9}, []int64{100, 100, 9e9}},
		"later, then earlier":   {[]int64{9e8, 9e9, 100, 9e8}, []int64{9e8, 9e8, 9e8, 9e8}},
		"the first one":         {[]int64{9e9, 100, 101, 102}, []int64{9e9, 9e9, 101, 102}},
		"now and then":          {[]int64{1, 9e9, 2, 9e9, 3, 9e9}, []int64{1, 1, 2, 2, 3, 3}},
		"what no second can be": {[]int64{math.MinInt64, math.MaxInt64, 0}, []int64{math.MinInt64, math.MinInt64, 0}},
	} {
		clock := newClock(Rule{Every: time.Second})
		var got []int64
		for _, at := range c.started {
			got = append(got, clock.advance(at))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	clock := newClock(Rule{Every: 48 * time.Hour})
	clock.advance(0)
	if got := clock.advance(3 * day); got != 3*day {
		t.Errorf("the next interval of two days begins at %d, not at %d", got, 3*day)
	}
}

// One wrong time, wherever it stands after the first record, says no more than the time before it.
func TestOneWrongTimeChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, messages := drawRule(t), drawMessages(t)
		messages = slices.DeleteFunc(messages, func(m message) bool { return m.kind == 0 }) // they have no time
		if len(messages) < 2 {
			return
		}
		wrong, right := slices.Clone(messages), slices.Clone(messages)
		i := rapid.IntRange(1, len(messages)-1).Draw(t, "wrong")
		wrong[i].at = rapid.SampledFrom([]int64{-9e9, -1e6, 1e6, 9e9}).Draw(t, "time")
		right[i].at = messages[i-1].at
		if got, want := written(t, r, wrong, 7), written(t, r, right, 7); !bytes.Equal(got, want) {
			t.Fatalf("%v:\n%s\nwant\n%s", wrong, got, want)
		}
	})
}
