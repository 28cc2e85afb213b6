package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// KindFlags say how similar records are counted and limited, by kind.
type KindFlags struct {
	Every    Age   `group:"output" placeholder:"INTERVAL" help:"@kinds/every"`
	Rate     Rate  `group:"output" placeholder:"N/INTERVAL" help:"@kinds/rate"`
	MaxKinds Count `needs:"--every INTERVAL|--rate N/INTERVAL: these know kinds" range:"[2,100000000]" group:"index" placeholder:"N" help:"@kinds/max-kinds"`
}

// defaultKinds is the default of --max-kinds.
const defaultKinds = 100_000

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
		return fmt.Errorf("%q is no rate: write N/INTERVAL, such as 5/1m or 100/10s", text)
	}
	*r = Rate{int(n), time.Duration(every)}
	return nil
}

// resolveKinds checks the flags about kinds and those given with them. It returns nil if none are
// given.
func (k KindFlags) resolveKinds(c *comparison) (*spec.Kinds, error) {
	if k.Every == 0 && k.Rate == (Rate{}) {
		return nil, nil
	}
	asks := c.given.first("--every", "--rate")
	if err := firstOf(
		func() error { return ofKinds.check(c.given, asks) },
		func() error { return withKinds.check(c.given, asks) },
	); err != nil {
		return nil, err
	}
	if !c.isOfShingles() {
		return nil, fmt.Errorf("%s is about texts that share words: leave it out, or --sketch and --preset", asks)
	}
	kinds := &spec.Kinds{
		Every: time.Duration(k.Every), Rate: spec.Rate(k.Rate), MaxKinds: int(k.MaxKinds),
		ForgetAfter: time.Duration(c.ForgetAfter), Time: c.Time,
	}
	fill(&kinds.MaxKinds, defaultKinds)
	*c.ForgetFlags, c.Memory, c.given = ForgetFlags{}, spec.MemoryExact, c.given.without("--forget-after")
	return kinds, nil
}
