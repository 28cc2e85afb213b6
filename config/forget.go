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
	ForgetAfter Age            `rule:"yes" not:"parts,auto,counts" group:"index" placeholder:"AGE" brief:"Forget records older than this, such as 30d" help:"@forget/forget-after"`
	Time        spec.TimeField `rule:"yes" needs:"--forget-after AGE|--counts FILE|--every INTERVAL|--rate N/INTERVAL: it says how old a record is" run:"same" way:"8" group:"records" placeholder:"FIELD" brief:"When a record was made" help:"@forget/time"`
}

// windowsKept is the number of generations where only their age is given: one more than are filled
// by what is remembered, which costs a quarter of memory.
const windowsKept = 5

// completeForget fills in how many generations an index has that forgets by times, unless it knows
// the times of its keys.
func (c *comparison) completeForget() {
	if c.ForgetAfter > 0 && !c.knowsTimes() {
		fill(&c.KeepGenerations, windowsKept)
	}
}

// knowsTimes reports whether it is remembered when each key came last.
func (c *comparison) knowsTimes() bool {
	return c.ForgetAfter > 0 && c.EqualityFlags.IsSet() && c.ExactFlags.Memory == spec.MemoryExact
}

// resolveKeyTimes has keys be forgotten at an age to the second, for which it has to be remembered
// when each came last, unless the user asks for Bloom filters.
func (c *comparison) resolveKeyTimes(asks string) error {
	if c.ForgetAfter == 0 || c.given["--memory"] && c.ExactFlags.Memory != spec.MemoryExact {
		return nil
	}
	c.ExactFlags.Memory = spec.MemoryExact
	if c.given["--keep-generations"] {
		return fmt.Errorf("--keep-generations does not go with %s and --forget-after, which remember each key for "+
			"exactly that time: leave it out, or give --memory bloom, whose generations are forgotten as a whole", asks)
	}
	return nil
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
