package groups

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// compareValues compares two values as they are written: numbers, dates, other texts.
func compareValues(a, b string, noneLast bool) int {
	read := func(value string) (number float64, text string, isNumber bool) {
		if json.Unmarshal([]byte(value), &text) != nil {
			text = value
		}
		number, err := strconv.ParseFloat(text, 64)
		return number, text, err == nil && number == number
	}
	m, x, isM := read(a)
	n, y, isN := read(b)
	switch {
	case x == "" || y == "":
		order := cmp.Compare(min(len(x), 1), min(len(y), 1))
		if noneLast {
			return -order
		}
		return order
	case isM && isN:
		if order, ok := jsontext.CompareNumbers([]byte(x), []byte(y)); ok && !math.IsInf(m, 0) && !math.IsInf(n, 0) {
			return order
		}
		return cmp.Compare(m, n)
	case isM != isN:
		return map[bool]int{true: -1, false: 1}[isM]
	}
	isDate := func(text string) int { return min(strings.Count(text, "2024-"), 1) } // of those that are drawn
	return cmp.Or(cmp.Compare(isDate(y), isDate(x)), cmp.Compare(x, y))
}

// The bytes of ranks are ordered as their values.
func TestRanksAreOrderedAsTheirValues(t *testing.T) {
	value := rapid.OneOf(
		rapid.SampledFrom([]string{"", `""`, "0", "-0", `"-0.0"`, "1", "-1", "256", "65536", `"inf"`, `"-Inf"`, `"NaN"`,
			`"2024-01-02"`, `"2024-01-03"`, `"9"`, `"10"`, `"\u0000"`, "1e-7", "1e300", "-1e300", "1e999", `"1e999"`,
			"9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807", "9223372036854775806",
			"-9223372036854775808", `"18446744073709551615"`, "1.8446744073709552e19"}),
		rapid.Custom(func(t *rapid.T) string { return strconv.FormatFloat(rapid.Float64().Draw(t, "n"), 'g', -1, 64) }),
		rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.Int32().Draw(t, "n")) }),
		rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.Int64().Draw(t, "n")) }),
		rapid.Custom(func(t *rapid.T) string { return strconv.Quote(rapid.StringMatching("[a-c]{0,3}").Draw(t, "s")) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		a, b, last := value.Draw(t, "a"), value.Draw(t, "b"), rapid.Bool().Draw(t, "none last")
		x, y := appendRank([]byte("x\x00"), []byte(a))[2:], appendRank(nil, []byte(b))
		if got, want := compareRanks(x, y, last), compareValues(a, b, last); got != want {
			t.Fatalf("%s against %s, none last %v: %d, want %d", a, b, last, got, want)
		}
	})
}

// Dates are compared as times, however they are written.
func TestRanksOfDates(t *testing.T) {
	ordered := []string{ // numbers, dates, other texts
		`7`, `"Fri, 02 Jan 2026 10:00:00 GMT"`, `"2026-01-03"`, `"Mon, 05 Jan 2026 10:00:00 GMT"`,
		`"2026-01-06T01:00:00Z"`, `"2026-01-05T23:30:00-05:00"`, `"2026-01-06T05:00:00Z"`, `"2026-01-06T05:00:00.5Z"`,
		`"Tue, 06 Jan 2026 00:00:01 EST"`, `"1st of May"`, `"soon"`,
	}
	for i, a := range ordered {
		for j, b := range ordered {
			order := compareRanks(appendRank(nil, []byte(a)), appendRank(nil, []byte(b)), false)
			if order < 0 != (i < j) || order > 0 != (i > j) {
				t.Errorf("%s is compared with %s as %d", a, b, order)
			}
		}
	}
	same := [2]string{`"2026-01-05T23:30:00-05:00"`, `"2026-01-06T04:30:00.000Z"`}
	if compareRanks(appendRank(nil, []byte(same[0])), appendRank(nil, []byte(same[1])), false) != 0 {
		t.Error("one of two equal times is later")
	}
}
