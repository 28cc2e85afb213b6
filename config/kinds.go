package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// KindFlags say how records are counted and limited by kinds, of those that resemble each other.
type KindFlags struct {
	Every    Age   `group:"output" placeholder:"INTERVAL" help:"@kinds/every"`
	Rate     Rate  `group:"output" placeholder:"N/INTERVAL" help:"@kinds/rate"`
	MaxKinds Count `needs:"--every INTERVAL|--rate N/INTERVAL: these know kinds" range:"[2,100000000]" group:"index" placeholder:"N" help:"@kinds/max-kinds"`
}

// defaultKinds is the default of --max-kinds.
const defaultKinds = 100_000

// Rate is a number of records in an interval: 5/1m, 100/10s, 1/h.
type Rate spec.Rate

// UnmarshalText reads a rate.
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

// resolveKinds checks what is said about kinds, and what beside it. It is nil if nothing is.
func (f *FilterFlags) resolveKinds() (*spec.Kinds, error) {
	if f.Every == 0 && f.Rate == (Rate{}) {
		return nil, nil
	}
	asks := f.given.first("--every", "--rate")
	if err := firstOf(
		func() error { return ofKinds.check(f.given, asks) },
		func() error { return withKinds.check(f.given, asks) },
	); err != nil {
		return nil, err
	}
	if !f.ByMinHash() || f.Method != "" {
		return nil, fmt.Errorf("%s is about texts that share words: leave it out, or --sketch and --preset", asks)
	}
	k := &spec.Kinds{
		Every: time.Duration(f.Every), Rate: spec.Rate(f.Rate), MaxKinds: int(f.MaxKinds),
		ForgetAfter: time.Duration(f.ForgetAfter), Time: f.Time,
	}
	fill(&k.MaxKinds, defaultKinds)
	f.ForgetFlags, f.Memory, f.given = ForgetFlags{}, spec.MemoryExact, f.given.without("--forget-after")
	return k, nil
}
