package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// ForgetFlags say that an index forgets by the times of records.
type ForgetFlags struct {
	ForgetAfter Age            `not:"parts,auto,counts" group:"index" placeholder:"AGE" help:"Forget by the times of records, as in 36h, 30d or 4w: what is not older than that is remembered, and dropped a generation at a time when it is (--keep-generations; default: 5). --capacity is how many records come in that time."`
	Time        spec.TimeField `needs:"--forget-after AGE|--counts FILE|--every INTERVAL|--rate N/INTERVAL: it says how old a record is" run:"same" way:"8" group:"records" placeholder:"FIELD" help:"Where times count, as for --forget-after and --counts: the field, or column, that says when a record was made: RFC 3339, a date, or seconds since 1970. Of lines of text, line: the time that each begins with, or else that of the line before it; line:2026 says the year of the first, where times have none. (default, but for --counts: the WARC-Date of records of web archives, the timestamp of messages)"`
}

// windowsKept is the number of generations where only their age is given: one more than are filled
// by what is remembered, which costs a quarter of memory.
const windowsKept = 5

// apply has an index forget by times, if that is asked for.
func (f ForgetFlags) apply(to *SeenFlags) {
	if to.Forget = f; f.ForgetAfter > 0 {
		fill(&to.KeepGenerations, windowsKept)
	}
}

// Age is a time that is not short: 90m, 36h, 30d, 4w.
type Age time.Duration

var ageUnits = map[byte]time.Duration{
	's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
}

// UnmarshalText reads an age in whole seconds.
func (a *Age) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if n := len(s); n > 0 {
		unit := ageUnits[s[n-1]]
		value, err := strconv.ParseFloat(s[:n-1], 64)
		// A hundred years are less than the longest Duration.
		if age := value * unit.Seconds(); err == nil && age >= 1 && age <= 100*366*24*60*60 {
			*a = Age(time.Duration(math.Round(age)) * time.Second)
			return nil
		}
	}
	return fmt.Errorf("%q is not an age: write something like 36h, 30d or 4w", text)
}
