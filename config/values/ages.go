package values

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Age is a duration of a second or more: 90m, 36h, 30d, 4w.
type Age time.Duration

var ageUnits = map[byte]time.Duration{
	's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
}

// UnmarshalText parses an age in whole seconds.
func (a *Age) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if n := len(s); n > 0 {
		unit := ageUnits[s[n-1]]
		value, err := strconv.ParseFloat(s[:n-1], 64)
		// A hundred years fit into a Duration.
		if age := value * unit.Seconds(); err == nil && age >= 1 && age <= 100*366*24*60*60 {
			*a = Age(time.Duration(math.Round(age)) * time.Second)
			return nil
		}
	}
	return fmt.Errorf("%q is not an age: write something like 36h, 30d or 4w", text)
}

// A Share is a fraction: greater than 0 and at most 1.
type Share float64

// UnmarshalText reads a share such as 30% or 0.3.
func (s *Share) UnmarshalText(text []byte) error {
	number, inPercent := strings.CutSuffix(string(text), "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if inPercent {
		share /= 100
	}
	if err != nil || !(share > 0 && share <= 1) {
		return fmt.Errorf("%q is not a share: write a percentage such as 30%%, or a number such as 0.3, above 0 and "+
			"at most 100%%", text)
	}
	*s = Share(share)
	return nil
}

// String returns the share as a percentage.
func (s Share) String() string { return strconv.FormatFloat(100*float64(s), 'g', 6, 64) + "%" }

// Rate is a number of records per interval: 5/1m, 100/10s, 1/h.
type Rate spec.Rate

// UnmarshalText parses a rate.
func (r *Rate) UnmarshalText(text []byte) error {
	number, interval, _ := strings.Cut(strings.TrimSpace(string(text)), "/")
	if len(interval) == 1 {
		interval = "1" + interval
	}
	var every Age
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n == 0 || every.UnmarshalText([]byte(interval)) != nil {
		return fmt.Errorf("%q is not a rate: write N/INTERVAL, such as 5/1m or 100/10s", text)
	}
	*r = Rate{int(n), time.Duration(every)}
	return nil
}
