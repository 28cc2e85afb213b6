package config

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// ForgetFlags make an index forget records by their times.
type ForgetFlags struct {
	ForgetAfter values.Age     `rule:"yes" not:"parts,auto,counts" group:"index" placeholder:"AGE" brief:"Forget records older than this, such as 30d" help:"@forget/forget-after"`
	Time        spec.TimeField `rule:"yes" needs:"--forget-after AGE|--counts FILE|--every INTERVAL|--rate N/INTERVAL: it says how old a record is" run:"same" way:"8" group:"records" placeholder:"FIELD" brief:"When a record was made" help:"@forget/time"`
}

// windowsKept is the number of generations if only their age is given. One of them is the window
// that is being filled; it makes the index a quarter larger.
const windowsKept = 5

// completeForget fills in the number of generations of an index that forgets by time, unless it
// stores a time for each key.
func (c *comparison) completeForget() {
	if c.ForgetAfter > 0 && !c.knowsTimes() {
		fill(&c.KeepGenerations, windowsKept)
	}
}

// knowsTimes reports whether the memory stores when each key was last seen.
func (c *comparison) knowsTimes() bool {
	return c.ForgetAfter > 0 && c.EqualityFlags.IsSet() && c.ExactFlags.Memory == spec.MemoryExact
}

// resolveKeyTimes makes keys expire at an exact age, in seconds. That requires a memory that stores
// when each key was last seen, which is used unless the user asks for Bloom filters.
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
